"""A training step of a model of another library, with random weights: a program that nobody edits.

    python3 library_step.py gla      # gated linear attention, of flash-linear-attention
    python3 library_step.py llama    # Llama of transformers, with Liger's kernels

It prints the loss of the last step and the milliseconds of a step, as `--regex` of nightshift compare reads them."""

import argparse
import time

import torch


class LinearAttention(torch.nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        from fla.layers import GatedLinearAttention
        self.layers = torch.nn.ModuleList(GatedLinearAttention(
            hidden_size=width, num_heads=8, use_short_conv=True, layer_idx=at) for at in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)[0]
        return x.float().square().mean()


def linear_attention(given):
    model = LinearAttention(given.width, given.layers).to("cuda", torch.bfloat16)
    x = torch.randn(4, given.tokens // 4, given.width, device="cuda", dtype=torch.bfloat16)
    return model, lambda: model(x)


def llama(given):
    from liger_kernel.transformers import apply_liger_kernel_to_llama
    from transformers import LlamaConfig, LlamaForCausalLM
    apply_liger_kernel_to_llama()
    heads = given.width // 64
    model = LlamaForCausalLM(LlamaConfig(
        hidden_size=given.width, intermediate_size=4 * given.width, num_hidden_layers=given.layers,
        num_attention_heads=heads, num_key_value_heads=heads // 4, vocab_size=16000)).to("cuda", torch.bfloat16)
    text = torch.randint(0, 16000, (4, given.tokens // 4), device="cuda")
    return model, lambda: model(input_ids=text, labels=text).loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=["gla", "llama"])
    for name, value in dict(steps=45, tokens=8192, width=1024, layers=4).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    torch.manual_seed(0)
    model, loss_of = (linear_attention if given.model == "gla" else llama)(given)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for number in range(given.steps):
        if number == given.steps // 3:
            torch.cuda.synchronize()
            begin = time.perf_counter()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    took = (time.perf_counter() - begin) / (given.steps - given.steps // 3)
    print(f"loss {loss.item():.4f}\nstep {1e3 * took:.4f} ms", flush=True)


if __name__ == "__main__":
    main()
