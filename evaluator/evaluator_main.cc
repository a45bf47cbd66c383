#include <string>
#include <vector>

#include "evaluator/make_backend.h"
#include "evaluator/serve.h"

int main(int argc, char** argv) {
  return nightshift::evaluator::serve({argv + 1, argv + argc}, nightshift::evaluator::make_backend);
}
