// SPDX-License-Identifier: Apache-2.0
// The registers of the card itself (card.rdl). It counts the cycles of the card, those in which links between routers
// stall, and the host's accesses that a window did not answer in time.
//
// A request holds until done_o, which comes in the same cycle; for the counters of links, within a sweep of them.
module card_registers
  import girih_pkg::*;
#(
    parameter logic [63:0] Digest = '0,  // of the design
    parameter int unsigned Ports = 1,
    parameter int unsigned Tiles = 1,
    parameter int unsigned Links = 0,  // between routers
    localparam int unsigned StallBits = Links > 0 ? Links : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        request_i,
    input  logic        write_i,
    input  logic [15:0] offset_i,
    input  logic [31:0] data_i,
    output logic        done_o,
    output logic        error_o,
    output logic [31:0] data_o,

    input logic timeout_i,  // an access of the host has ended because a window did not answer
    input logic [StallBits-1:0] link_stall_i,  // one bit for each link between routers

    output timestamp_t now_o
);
  logic [31:0] timeouts_q;
  always_ff @(posedge clk_i) begin
    if (timeout_i) timeouts_q <= timeouts_q + 1'b1;
    if (rst_i) timeouts_q <= '0;
  end

  logic [63:0] cycle_q;
  assign now_o = timestamp_t'(cycle_q);
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (rst_i) cycle_q <= '0;
  end

  card_regs_pkg::card__in_t values;
  assign values.digest.value.next = Digest;
  assign values.cycles.value.next = cycle_q;
  assign values.data_width.value.next = W;
  assign values.ports.value.next = Ports;
  assign values.tiles.value.next = Tiles;
  assign values.links.value.next = Links;
  assign values.timeouts.value.next = timeouts_q;

  card_regs_pkg::card__out_t requests;
  logic link_done, link_error;
  logic [31:0] link_data;
  link_stalls #(
      .Links(Links)
  ) u_link_stalls (
      .clk_i,
      .rst_i,
      .stall_i(link_stall_i),
      .request_i(requests.link.req),
      .write_i(write_i),
      .word_i(requests.link.addr[12:2]),
      .done_o(link_done),
      .error_o(link_error),
      .data_o(link_data)
  );
  assign values.link.rd_ack = link_done && !write_i;
  assign values.link.wr_ack = link_done && write_i;
  assign values.link.rd_data = link_data;

  logic read_done, read_error, write_done, write_error;
  logic unused_stall_write, unused_stall_read;
  assign done_o = read_done || write_done;
  assign error_o = (write_i ? write_error : read_error) || (offset_i[15] && link_error);

  card_regs u_registers (
      .clk(clk_i),
      .rst(rst_i),
      .s_cpuif_req(request_i),
      .s_cpuif_req_is_wr(write_i),
      .s_cpuif_addr(offset_i),
      .s_cpuif_wr_data(data_i),
      .s_cpuif_wr_biten('1),
      .s_cpuif_req_stall_wr(unused_stall_write),
      .s_cpuif_req_stall_rd(unused_stall_read),
      .s_cpuif_rd_ack(read_done),
      .s_cpuif_rd_err(read_error),
      .s_cpuif_rd_data(data_o),
      .s_cpuif_wr_ack(write_done),
      .s_cpuif_wr_err(write_error),
      .hwif_in(values),
      .hwif_out(requests)
  );
endmodule
