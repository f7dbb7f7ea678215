// SPDX-License-Identifier: Apache-2.0
// Adapter of one Verilated design; the only file that is compiled anew for each.
#include "model.hpp"

#include "Vcard_sim.h"
#include "verilated.h"
#if VM_COVERAGE
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace girih {
namespace {

template <typename Port>
uint8_t *bytes(Port &port) {
  return reinterpret_cast<uint8_t *>(&port);
}

template <typename Top>
uint8_t *watch_pin(Top &top) {
  if constexpr (requires { top.watch_i; }) {
    return bytes(top.watch_i);
  } else {
    return nullptr;
  }
}

class VerilatedDesign final : public Model {
 public:
  VerilatedDesign() {
#if VM_TRACE_FST
    context_.traceEverOn(true);
#endif
    auto &m = model_;
    pins.clk = bytes(m.clk_i);
    pins.rst = bytes(m.rst_i);
    pins.probe_enable = bytes(m.probe_enable_i);
    pins.watch = watch_pin(m);
    pins.rx = {bytes(m.s_axis_tdata),  bytes(m.s_axis_tkeep), bytes(m.s_axis_tvalid),
               bytes(m.s_axis_tready), bytes(m.s_axis_tlast), bytes(m.s_axis_tuser)};
    pins.tx = {bytes(m.m_axis_tdata),  bytes(m.m_axis_tkeep), bytes(m.m_axis_tvalid),
               bytes(m.m_axis_tready), bytes(m.m_axis_tlast), bytes(m.m_axis_tuser)};
    pins.axil = {bytes(m.s_axil_awvalid), bytes(m.s_axil_awready), bytes(m.s_axil_wvalid), bytes(m.s_axil_wready),
                 bytes(m.s_axil_wstrb),   bytes(m.s_axil_bvalid),  bytes(m.s_axil_bready), bytes(m.s_axil_bresp),
                 bytes(m.s_axil_arvalid), bytes(m.s_axil_arready), bytes(m.s_axil_rvalid), bytes(m.s_axil_rready),
                 bytes(m.s_axil_rresp),   &m.s_axil_awaddr,        &m.s_axil_wdata,        &m.s_axil_araddr,
                 &m.s_axil_rdata};
  }

  ~VerilatedDesign() override {
    close_waves();
    Verilated::threadContextp(&context_);
    write_coverage();
  }

  // Verilator's functions without a model find their context by thread; that of another card may be gone.
  void eval() override {
    Verilated::threadContextp(&context_);
    model_.eval();
  }

#if VM_TRACE_FST
  bool has_waves() const override { return true; }
  bool open_waves(const char *path) override {
    waves_ = std::make_unique<VerilatedFstC>();
    model_.trace(waves_.get(), 99);
    waves_->open(path);
    return waves_->isOpen();
  }
  void dump_waves(uint64_t nanoseconds) override { waves_->dump(nanoseconds); }
  void close_waves() override {
    if (waves_) waves_->close();
    waves_.reset();
  }
#else
  bool has_waves() const override { return false; }
  bool open_waves(const char *) override { return false; }
  void dump_waves(uint64_t) override {}
  void close_waves() override {}
#endif

 private:
  // Leaves what was counted in the folder $GIRIH_COVERAGE, for girih.build.coverage.
  void write_coverage() {
#if VM_COVERAGE
    static int cards = 0;
    if (const char *folder = std::getenv("GIRIH_COVERAGE")) {
      const std::string name = std::string(folder) + "/card-" + std::to_string(getpid()) + "-" + std::to_string(cards++) + ".dat";
      context_.coveragep()->write(name.c_str());
    }
#endif
  }

  VerilatedContext context_;
  Vcard_sim model_{&context_};
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves_;
#endif
};

}  // namespace

std::unique_ptr<Model> make_model() { return std::make_unique<VerilatedDesign>(); }

}  // namespace girih
