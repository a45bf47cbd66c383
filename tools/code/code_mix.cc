#include <algorithm>
#include <span>

#include "tools/code/code_listing.h"

namespace nightshift::tools {
namespace {

struct Prefix {
  std::string_view opcode, name;
};

// The first that fits decides.
constexpr Prefix kSass[] = {
    {"LDGSTS", "asynchronous copy"},
    {"LDGDEPBAR", "barrier"},
    {"UBLK", "asynchronous copy"},
    {"UTMA", "asynchronous copy"},
    {"LDG", "global memory"},
    {"STG", "global memory"},
    {"REDUX", "between threads"},
    {"RED", "global memory"},
    {"ATOMG", "global memory"},
    {"LDS", "shared memory"},
    {"STS", "shared memory"},
    {"STAS", "shared memory"},
    {"ATOMS", "shared memory"},
    {"LDL", "local memory"},
    {"STL", "local memory"},
    {"LDC", "constants"},
    {"ULDC", "constants"},
    {"LD", "generic memory"},
    {"ST", "generic memory"},
    {"ATOM", "generic memory"},
    {"HMMA", "tensor"},
    {"IMMA", "tensor"},
    {"DMMA", "tensor"},
    {"QMMA", "tensor"},
    {"OMMA", "tensor"},
    {"HGMMA", "tensor"},
    {"IGMMA", "tensor"},
    {"QGMMA", "tensor"},
    {"BGMMA", "tensor"},
    {"UTC", "tensor"},
    {"WARPGROUP", "tensor"},
    {"HADD", "fp16"},
    {"HMUL", "fp16"},
    {"HFMA", "fp16"},
    {"HSET", "fp16"},
    {"HMNMX", "fp16"},
    {"F2", "conversion"},
    {"I2", "conversion"},
    {"FRND", "conversion"},
    {"UF2", "conversion"},
    {"DADD", "fp64"},
    {"DMUL", "fp64"},
    {"DFMA", "fp64"},
    {"DSET", "fp64"},
    {"FADD", "fp32"},
    {"FMUL", "fp32"},
    {"FFMA", "fp32"},
    {"FSET", "fp32"},
    {"FMNMX", "fp32"},
    {"FSEL", "fp32"},
    {"FCHK", "fp32"},
    {"FSWZ", "fp32"},
    {"MUFU", "special functions"},
    {"SHFL", "between threads"},
    {"VOTE", "between threads"},
    {"MATCH", "between threads"},
    {"BAR", "barrier"},
    {"UCGABAR", "barrier"},
    {"SYNCS", "barrier"},
    {"MEMBAR", "barrier"},
    {"DEPBAR", "barrier"},
    {"FENCE", "barrier"},
    {"ERRBAR", "barrier"},
    {"WARPSYNC", "barrier"},
    {"BRA", "control"},
    {"BRX", "control"},
    {"BSSY", "control"},
    {"BSYNC", "control"},
    {"EXIT", "control"},
    {"CALL", "control"},
    {"RET", "control"},
    {"JMP", "control"},
    {"BREAK", "control"},
    {"NANOSLEEP", "control"},
    {"PLOP", "predicates"},
    {"P2R", "predicates"},
    {"R2P", "predicates"},
    {"MOV", "moves"},
    {"UMOV", "moves"},
    {"SEL", "moves"},
    {"USEL", "moves"},
    {"PRMT", "moves"},
    {"UPRMT", "moves"},
    {"S2", "moves"},
    {"CS2R", "moves"},
    {"R2UR", "moves"},
    {"I", "integer"},
    {"LOP", "integer"},
    {"SHF", "integer"},
    {"LEA", "integer"},
    {"POPC", "integer"},
    {"FLO", "integer"},
    {"BREV", "integer"},
    {"BMSK", "integer"},
    {"SGXT", "integer"},
    {"VI", "integer"},
    {"U", "integer"},
    {"NOP", "nothing"},
};

// By the opcode; what is of a type and not of a memory is told apart by the type.
constexpr Prefix kPtx[] = {
    {"cp.async", "asynchronous copy"},
    {"cp.reduce", "asynchronous copy"},
    {"ld.global", "global memory"},
    {"ldu.global", "global memory"},
    {"st.global", "global memory"},
    {"red.global", "global memory"},
    {"atom.global", "global memory"},
    {"ld.shared", "shared memory"},
    {"st.shared", "shared memory"},
    {"st.async", "shared memory"},
    {"ldmatrix", "shared memory"},
    {"stmatrix", "shared memory"},
    {"atom.shared", "shared memory"},
    {"red.shared", "shared memory"},
    {"ld.local", "local memory"},
    {"st.local", "local memory"},
    {"ld.param", "constants"},
    {"ld.const", "constants"},
    {"st.param", "moves"},
    {"ld", "generic memory"},
    {"st", "generic memory"},
    {"atom", "generic memory"},
    {"redux", "between threads"},
    {"red", "generic memory"},
    {"mma", "tensor"},
    {"wgmma", "tensor"},
    {"wmma", "tensor"},
    {"tcgen05", "tensor"},
    {"cvta", "moves"},
    {"cvt", "conversion"},
    {"shfl", "between threads"},
    {"vote", "between threads"},
    {"match", "between threads"},
    {"activemask", "between threads"},
    {"elect", "between threads"},
    {"barrier", "barrier"},
    {"bar", "barrier"},
    {"mbarrier", "barrier"},
    {"membar", "barrier"},
    {"fence", "barrier"},
    {"griddepcontrol", "barrier"},
    {"bra", "control"},
    {"brx", "control"},
    {"call", "control"},
    {"ret", "control"},
    {"exit", "control"},
    {"trap", "control"},
    {"nanosleep", "control"},
    {"setmaxnreg", "control"},
    {"prefetch", "global memory"},
    {"createpolicy", "global memory"},
    {"ex2", "special functions"},
    {"lg2", "special functions"},
    {"rcp", "special functions"},
    {"rsqrt", "special functions"},
    {"sqrt", "special functions"},
    {"sin", "special functions"},
    {"cos", "special functions"},
    {"tanh", "special functions"},
    {"mov", "moves"},
    {"selp", "moves"},
    {"prmt", "moves"},
};

std::string_view class_of_ptx(std::string_view text, std::string_view known) {
  if (!known.empty()) return known;
  const std::string_view opcode = text.substr(0, std::min(text.find(' '), text.size()));
  const auto has = [&](std::string_view type) { return opcode.find(type) != opcode.npos; };
  if (has(".f64")) return "fp64";
  if (has(".f32")) return "fp32";
  if (has(".f16") || has(".bf16")) return "fp16";
  if (has(".pred")) return "predicates";
  if (has(".s") || has(".u") || has(".b")) return "integer";
  return "other";
}

constexpr Prefix kHost[] = {
    {"prefetch", "prefetch"},
    {"vbroadcast", "vector moves"},
    {"vperm", "vector moves"},
    {"vshuf", "vector moves"},
    {"shufp", "vector moves"},
    {"unpck", "vector moves"},
    {"vunpck", "vector moves"},
    {"vinsert", "vector moves"},
    {"vextract", "vector moves"},
    {"vblend", "vector moves"},
    {"call", "calls"},
    {"ret", "control"},
    {"j", "control"},
    {"loop", "control"},
    {"nop", "nothing"},
    {"endbr", "nothing"},
    {"vzeroupper", "nothing"},
    {"data16", "nothing"},
    {"cs nop", "nothing"},
    {"lock", "atomics"},
    {"xchg", "atomics"},
    {"push", "stack"},
    {"pop", "stack"},
};

std::string_view found(std::span<const Prefix> prefixes, std::string_view opcode) {
  const auto it =
      std::ranges::find_if(prefixes, [&](const Prefix& p) { return opcode.starts_with(p.opcode); });
  return it == prefixes.end() ? std::string_view() : it->name;
}

// x86: by the registers and the operands, which say more than the many names.
std::string_view class_of_host(std::string_view text) {
  const std::string_view opcode = text.substr(0, std::min(text.find(' '), text.size()));
  if (const std::string_view known = found(kHost, opcode); !known.empty()) return known;
  const bool vector = text.find("%xmm") != text.npos || text.find("%ymm") != text.npos ||
                      text.find("%zmm") != text.npos;
  const bool memory = text.find('(') != text.npos && !opcode.starts_with("lea");
  const bool moves = opcode.starts_with("mov") || opcode.starts_with("vmov");
  if (text.find("(%rsp") != text.npos && memory) return "stack";
  if (moves && memory) {
    const std::size_t last = text.rfind(',');
    const bool stores = last != text.npos && text.find('(') != text.npos && text.back() == ')';
    return stores ? "stores" : "loads";
  }
  if (!vector) return moves ? "moves" : memory ? "integer with memory" : "integer";
  if (moves) return "vector moves";
  const auto ends = [&](std::string_view tail) { return opcode.ends_with(tail); };
  if (ends("ss") || ends("sd")) return "scalar floating point";
  if (ends("ps") || ends("pd")) return "vector floating point";
  return "vector integer";
}

// Without "@!P0 ".
std::string_view without_predicate(std::string_view text) {
  if (!text.starts_with("@")) return text;
  return text.substr(std::min(text.find(' '), text.size() - 1) + 1);
}

}  // namespace

std::string_view class_of(CodeKind kind, const CodeInstruction& instruction) {
  if (kind == CodeKind::kHost) return class_of_host(instruction.text);
  if (kind == CodeKind::kPtx) {
    const std::string_view text = without_predicate(instruction.text);
    return class_of_ptx(text, found(kPtx, text));
  }
  const std::string_view known = found(kSass, without_predicate(instruction.text));
  return known.empty() ? "other" : known;
}

CodeMix mix_of(CodeKind kind, const CodeListing& listing) {
  CodeMix mix;
  for (const CodeFunction& function : listing.functions) {
    for (const CodeInstruction& i : function.instructions) ++mix[std::string(class_of(kind, i))];
  }
  return mix;
}

}  // namespace nightshift::tools
