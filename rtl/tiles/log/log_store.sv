// SPDX-License-Identifier: Apache-2.0
// The records of a log, numbered from 0, in a ring of Entries. One record is written per cycle. With overwrite_i a full ring replaces its oldest
// record. Without it, a full ring loses new records, which get no number, until arm_i goes up again and makes room for Entries more. A read takes
// two cycles, and its record holds until the next read; there_o says whether it is in the ring. A record is never mixed of two, even while it is
// being overwritten.
module log_store
  import girih_pkg::*, log_types_pkg::*;
#(
    parameter int unsigned Entries = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input logic    write_i,
    input record_t record_i,
    input logic    overwrite_i,
    input logic    arm_i,

    output number_t end_o,  // the number of the next record
    output logic    lost_o,

    input  logic    read_i,
    input  number_t number_i,
    output logic    valid_o,   // in the second cycle after read_i
    output logic    there_o,
    output record_t record_o
);
  if (Entries < 16 || (Entries & (Entries - 1)) != 0) begin : gen_bad_entries
    $fatal(1, "log_store: Entries is %0d; it must be a power of two, at least 16", Entries);
  end

  localparam int unsigned AddrWidth = $clog2(Entries);

  number_t end_q;
  logic [AddrWidth:0] room_q;  // records until it is full
  logic full_q, overwrite_q, arm_q, arms, write;
  assign write = write_i && (overwrite_q || !full_q);
  assign arms = arm_i && !arm_q;
  assign lost_o = write_i && !write;
  assign end_o = end_q;

  // The record is read in the next cycle, and the ring moves by at most two until then: a record that might be overwritten by then is reported absent.
  logic asked_q, there_q, there_read_q, valid_q, ahead, near;
  number_t number_q, behind;
  assign behind = end_q - number_i;  // from 1 to Entries: it is in the ring
  assign ahead = number_i >= end_q;
  assign near = behind <= (overwrite_i || overwrite_q || !full_q || arms ? number_t'(Entries) - number_t'(2) : number_t'(Entries));

  ram_simple_dual #(
      .T(record_t),
      .Depth(Entries)
  ) u_ram (
      .clk_i,
      .write_enable_i(write),
      .write_addr_i(end_q[AddrWidth-1:0]),
      .write_data_i(record_i),
      .read_enable_i(asked_q && there_q),
      .read_addr_i(number_q[AddrWidth-1:0]),
      .read_data_o(record_o)
  );
  assign valid_o = valid_q;
  assign there_o = there_read_q;

  always_ff @(posedge clk_i) begin
    if (write) end_q <= end_q + 1'b1;
    arm_q <= arm_i;
    if (arms) begin
      room_q <= (AddrWidth + 1)'(Entries) - (AddrWidth + 1)'(write);
      full_q <= 1'b0;
    end else if (write && !full_q) begin
      room_q <= room_q - 1'b1;
      full_q <= room_q == (AddrWidth + 1)'(1);
    end
    if (read_i) begin
      number_q <= number_i;
      there_q <= !ahead && near;
    end
    overwrite_q <= overwrite_i;
    asked_q <= read_i;
    valid_q <= asked_q;
    if (asked_q) there_read_q <= there_q;
    if (rst_i) begin
      end_q <= '0;
      room_q <= (AddrWidth + 1)'(Entries);
      full_q <= 1'b0;
      arm_q <= 1'b0;
      asked_q <= 1'b0;
      valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && asked_q && there_q && write) begin
      assert (number_q[AddrWidth-1:0] != end_q[AddrWidth-1:0])
      else $error("log_store: record %0d is read while it is overwritten", number_q);
    end
  end
endmodule
