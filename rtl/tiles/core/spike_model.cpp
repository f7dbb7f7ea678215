// SPDX-License-Identifier: Apache-2.0
// The RISC-V simulator Spike as a model of a core without messages: memory from address 0 on, and a word whose write ends the program. All else is an
// access fault. Four regions of memory protection, machine and user mode, no interrupts.
//
//     spike_model IMAGE START STOP STEPS       prints the memory at the end; exit code 1 if the program has not ended after so many instructions
#include <riscv/cfg.h>
#include <riscv/processor.h>
#include <riscv/simif.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

namespace {
constexpr char kIsa[] = "rv32imc_zicsr_zifencei_zicclsm", kModes[] = "mu";

class Model final : public simif_t {
 public:
  Model(std::vector<char> memory, reg_t stop) : memory_(std::move(memory)), stop_(stop) {
    cfg_.isa = kIsa;
    cfg_.priv = kModes;
    cfg_.pmpregions = 4;
    cfg_.pmpgranularity = 4;
    cfg_.hartids = {0};
  }

  char* addr_to_mem(reg_t address) override { return address < memory_.size() ? memory_.data() + address : nullptr; }
  bool mmio_load(reg_t, size_t, uint8_t*) override { return false; }
  bool mmio_store(reg_t address, size_t, const uint8_t*) override { return address == stop_ && (ended_ = true); }
  void proc_reset(unsigned) override {}
  const cfg_t& get_cfg() const override { return cfg_; }
  const std::map<size_t, processor_t*>& get_harts() const override { return harts_; }
  const char* get_symbol(uint64_t) override { return nullptr; }

  bool ended() const { return ended_; }
  const std::vector<char>& memory() const { return memory_; }

 private:
  std::vector<char> memory_;
  reg_t stop_;
  bool ended_ = false;
  cfg_t cfg_;
  std::map<size_t, processor_t*> harts_;
};
}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  FILE* file = std::fopen(words[1], "rb");
  if (!file) return 2;
  std::vector<char> memory(1 << 20);
  memory.resize(std::fread(memory.data(), 1, memory.size(), file));
  std::fclose(file);
  Model model(std::move(memory), std::strtoul(words[3], nullptr, 0));
  processor_t core(kIsa, kModes, &model.get_cfg(), &model, 0, false, stderr, std::cerr);
  core.reset();
  core.get_state()->pc = std::strtoul(words[2], nullptr, 0);
  for (long left = std::strtol(words[4], nullptr, 0); left > 0 && !model.ended(); left--) core.step(1);
  std::fwrite(model.memory().data(), 1, model.memory().size(), stdout);
  std::fflush(stdout);
  if (!model.ended()) std::fprintf(stderr, "it is at %#lx\n", static_cast<unsigned long>(core.get_state()->pc));
  std::_Exit(model.ended() ? 0 : 1);
}
