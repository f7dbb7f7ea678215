// SPDX-License-Identifier: Apache-2.0
// Writes the card's address, mask and gateway into the registers of other tiles, over the control network. It clears the old
// address first and writes the new one last, so that no tile ever has an address of one network beside the mask of another.
module dhcp_writer
  import girih_pkg::*, net_pkg::*, dhcp_types_pkg::*;
#(
    parameter int unsigned Places = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  logic start_i,  // for one cycle, while it is not busy
    output logic busy_o,
    input  lease_t lease_i,
    input  logic [Places-1:0][31:0] places_i,
    output logic failed_o,  // a register could not be written

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i
);
  localparam int unsigned PlaceBits = $clog2(Places);
  typedef enum logic [1:0] {
    Clear,  // the address
    Network,
    Address
  } pass_e;
  typedef enum logic [1:0] {
    Nothing,
    IsAddress,
    IsNetmask,
    IsGateway
  } what_e;
  typedef struct packed {
    logic [5:0] reserved;
    what_e what;
    logic [7:0] node;
    logic [15:0] offset;
  } register_t;

  pass_e pass_q;
  logic busy_q, asked_q, wanted, next;
  lease_t lease_q;
  logic [PlaceBits-1:0] place_q;
  register_t place;
  assign place = register_t'(places_i[place_q]);
  always_comb begin
    unique case (pass_q)
      Network: wanted = place.what inside {IsNetmask, IsGateway};
      default: wanted = place.what == IsAddress;
    endcase
  end
  assign busy_o = busy_q;
  assign control_valid_o = busy_q && wanted && !asked_q;
  assign control_request_o = '{
          write: 1'b1,
          tag: '0,
          node: place.node,
          offset: place.offset,
          data: pass_q == Clear ? '0 : place.what == IsAddress ? lease_q.address : place.what == IsNetmask ? lease_q.netmask : lease_q.gateway
      };
  assign next = busy_q && (!wanted || (asked_q && control_answer_valid_i));
  assign failed_o = busy_q && asked_q && control_answer_valid_i && control_answer_i.status != CtrlOkay;

  always_ff @(posedge clk_i) begin
    if (control_valid_o && control_ready_i) asked_q <= 1'b1;
    if (next) begin
      asked_q <= 1'b0;
      place_q <= place_q + 1'b1;
      if (32'(place_q) == Places - 1) begin
        place_q <= '0;
        if (pass_q == Address) busy_q <= 1'b0;
        pass_q <= pass_q == Clear ? Network : Address;
      end
    end
    if (start_i) begin
      lease_q <= lease_i;
      busy_q  <= 1'b1;
      asked_q <= 1'b0;
      pass_q  <= Clear;
      place_q <= '0;
    end
    if (rst_i) begin
      busy_q  <= 1'b0;
      asked_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, place.reserved, control_answer_i};
endmodule
