// SPDX-License-Identifier: Apache-2.0
// The processor: lowRISC's Ibex (RV32IMC, machine and user mode, physical memory protection) and its registers.
// Fetches and data accesses have links of their own: a request is taken when gnt is up, and answered by rvalid in a later cycle.
// It starts at BootAddr + 128 when rst_ni rises.
module core_cpu
  import core_map_pkg::*;
#(
    parameter int unsigned PmpRegions = 4  // 0: no memory protection
) (
    input logic clk_i,
    input logic rst_ni,  // from a register
    input logic [7:0] core_i,  // its number in its tile: mhartid

    output logic        instr_req_o,
    input  logic        instr_gnt_i,
    input  logic        instr_rvalid_i,
    output logic [31:0] instr_addr_o,
    input  logic [31:0] instr_rdata_i,
    input  logic        instr_err_i,

    output logic        data_req_o,
    input  logic        data_gnt_i,
    input  logic        data_rvalid_i,
    output logic        data_we_o,
    output logic [ 3:0] data_be_o,
    output logic [31:0] data_addr_o,
    output logic [31:0] data_wdata_o,
    input  logic [31:0] data_rdata_i,
    input  logic        data_err_i,

    input logic irq_timer_i,
    input logic irq_external_i,
    input logic debug_req_i  // halts: the next fetch is from DebugBase
);
  logic [4:0] raddr_a, raddr_b, waddr;
  logic [31:0] rdata_a, rdata_b, wdata;
  logic we;

  // Of what Ibex has for other systems: no instruction cache, no lockstep.
  logic dummy_id, dummy_wb, tag_write, data_write, key_req, irq_pending, double_fault, minor, internal, bus, err;
  logic [1:0] tag_req, data_req;
  logic [ibex_pkg::IC_INDEX_W-1:0] tag_addr, data_addr;
  logic [ibex_pkg::IC_TAG_SIZE-1:0] tag_wdata;
  logic [ibex_pkg::IC_LINE_SIZE-1:0] data_wdata;
  logic [ibex_pkg::IC_TAG_SIZE-1:0] tag_rdata[ibex_pkg::IC_NUM_WAYS];
  logic [ibex_pkg::IC_LINE_SIZE-1:0] data_rdata[ibex_pkg::IC_NUM_WAYS];
  ibex_pkg::crash_dump_t dump;
  ibex_pkg::ibex_mubi_t busy;
  for (genvar way = 0; way < int'(ibex_pkg::IC_NUM_WAYS); way++) begin : gen_no_cache
    assign tag_rdata[way] = '0;
    assign data_rdata[way] = '0;
  end

  ibex_core #(
      .PMPEnable(PmpRegions != 0),
      .PMPNumRegions(PmpRegions == 0 ? 4 : PmpRegions),
      .RV32M(ibex_pkg::RV32MSingleCycle),
      .BranchTargetALU(1'b1),
      .WritebackStage(1'b1),
      .DmBaseAddr(DebugBase),
      .DmAddrMask(DebugBytes - 1),
      .DmHaltAddr(DebugBase),
      .DmExceptionAddr(DebugBase + DebugFault)
  ) u_ibex_core (
      .clk_i,
      .rst_ni,
      .hart_id_i(32'(core_i)),
      .boot_addr_i('0),
      .instr_req_o,
      .instr_gnt_i,
      .instr_rvalid_i,
      .instr_addr_o,
      .instr_rdata_i,
      .instr_err_i,
      .data_req_o,
      .data_gnt_i,
      .data_rvalid_i,
      .data_we_o,
      .data_be_o,
      .data_addr_o,
      .data_wdata_o,
      .data_rdata_i,
      .data_err_i,
      .dummy_instr_id_o(dummy_id),
      .dummy_instr_wb_o(dummy_wb),
      .rf_raddr_a_o(raddr_a),
      .rf_raddr_b_o(raddr_b),
      .rf_waddr_wb_o(waddr),
      .rf_we_wb_o(we),
      .rf_wdata_wb_ecc_o(wdata),
      .rf_rdata_a_ecc_i(rdata_a),
      .rf_rdata_b_ecc_i(rdata_b),
      .ic_tag_req_o(tag_req),
      .ic_tag_write_o(tag_write),
      .ic_tag_addr_o(tag_addr),
      .ic_tag_wdata_o(tag_wdata),
      .ic_tag_rdata_i(tag_rdata),
      .ic_data_req_o(data_req),
      .ic_data_write_o(data_write),
      .ic_data_addr_o(data_addr),
      .ic_data_wdata_o(data_wdata),
      .ic_data_rdata_i(data_rdata),
      .ic_scr_key_valid_i(1'b0),
      .ic_scr_key_req_o(key_req),
      .irq_software_i(1'b0),
      .irq_timer_i,
      .irq_external_i,
      .irq_fast_i('0),
      .irq_nm_i(1'b0),
      .irq_pending_o(irq_pending),
      .debug_req_i,
      .crash_dump_o(dump),
      .double_fault_seen_o(double_fault),
      .fetch_enable_i(ibex_pkg::IbexMuBiOn),
      .alert_minor_o(minor),
      .alert_major_internal_o(internal),
      .alert_major_bus_o(bus),
      .core_busy_o(busy)
  );

  ibex_register_file_fpga u_registers (
      .clk_i,
      .rst_ni,
      .test_en_i(1'b0),
      .dummy_instr_id_i(dummy_id),
      .dummy_instr_wb_i(dummy_wb),
      .raddr_a_i(raddr_a),
      .rdata_a_o(rdata_a),
      .raddr_b_i(raddr_b),
      .rdata_b_o(rdata_b),
      .waddr_a_i(waddr),
      .wdata_a_i(wdata),
      .we_a_i(we),
      .err_o(err)
  );

  logic unused;
  assign unused = &{
      1'b0, tag_req, tag_write, tag_addr, tag_wdata, data_req, data_write, data_addr, data_wdata, key_req, irq_pending, dump, double_fault,
      minor, internal, bus, busy, err
  };
endmodule
