// SPDX-License-Identifier: Apache-2.0
// The rules of a link that carries messages (docs/contracts.md), checked in every simulation:
//   - during reset nothing is offered, whatever registers held before;
//   - once a flit is offered it stays until it is taken (stream_check);
//   - on a link of the fabric the first flit of a message, and no other, says so;
//   - only the last flit has empty bytes; the arrays of the descriptor hold what its counts say;
//   - on a link of the fabric (Routed) every flit has the source and destination of its message's first flit;
//   - a message that a tile sends (Contents) has a tenant of Tenants; it is not longer than the longest frame,
//     its length is right and its offsets are within it. Unit tests of engines send messages that no tile would
//     send, so they leave this out;
//   - a link that brings replies to a tile (Taken) is always ready.
//
// The simulator has two-state values: a signal that is unknown after reset has a value that depends on the
// seed. No outputs, so synthesis removes the module.
module link_check
  import girih_pkg::*;
#(
    parameter bit Routed = 1'b1,
    parameter bit Contents = 1'b1,
    parameter bit Taken = 1'b0,
    parameter logic [255:0] Nodes = '1,  // bit n: a message may be for node n
    parameter tenants_t Tenants = '1  // bit t: a message may be tenant t's
) (
    input logic  clk_i,
    input logic  rst_i,
    input logic  valid_i,
    input logic  ready_i,
    input flit_t flit_i
);
  stream_check #(
      .T(flit_t)
  ) u_stream (
      .clk_i,
      .rst_i,
      .valid_i,
      .ready_i,
      .data_i(flit_i)
  );

  logic resetting_q;  // for a cycle at least; it must not start at random itself
  initial resetting_q = 1'b0;
  always @(posedge clk_i) if (rst_i || resetting_q) resetting_q <= rst_i;

  logic take, middle_q;  // the next flit goes on with a message
  assign take = valid_i && ready_i && !rst_i;
  always_ff @(posedge clk_i) begin
    if (take || rst_i) middle_q <= !rst_i && !flit_i.last;
  end

  // An assertion costs the simulator more than its condition, so each is reached only if its rule is broken. Links are
  // idle most of the time; then nothing here changes and nothing is evaluated.
  always_ff @(posedge clk_i) begin
    if (rst_i && resetting_q && valid_i) begin
      assert (1'b0)
      else $error("a flit is offered during reset");
    end
    if (take) begin
      if (Routed && flit_i.first != !middle_q) begin
        assert (1'b0)
        else $error("a flit is wrong about whether it is the first one of its message");
      end
      if (!flit_i.last && flit_i.empty != '0) begin
        assert (1'b0)
        else $error("%0d bytes are empty in the middle of a message", flit_i.empty);
      end
      if (!middle_q && !descriptor_fits(flit_i.desc)) begin
        assert (1'b0)
        else $error("a count of hops is beyond what the descriptor holds");
      end
    end
  end

  if (Taken) begin : gen_taken
    always_ff @(posedge clk_i) begin
      if (!rst_i && !resetting_q && !ready_i) begin
        assert (1'b0)
        else $error("a link of replies is not ready: who asks has room for the answer");
      end
    end
  end

  if (Routed) begin : gen_routed
    address_t src_q, dst_q;
    always_ff @(posedge clk_i) begin
      if (take && !middle_q) begin
        src_q <= flit_i.desc.src;
        dst_q <= flit_i.desc.dst;
      end
    end

    always_ff @(posedge clk_i) begin
      if (take) begin
        if (!middle_q && !Nodes[node_t'(flit_i.desc.dst)]) begin
          assert (1'b0)
          else $error("a message is for node %0d", flit_i.desc.dst);
        end
        if (middle_q && (flit_i.desc.src != src_q || flit_i.desc.dst != dst_q)) begin
          assert (1'b0)
          else $error("a flit of another message is within a message");
        end
      end
    end
  end

  if (Contents) begin : gen_contents
    typedef logic [$bits(length_t):0] bytes_t;

    bytes_t size_q;  // bytes of the message so far
    logic whole_q;  // it has ended, and is not void
    length_t length_q;
    offset_t offset_q;
    always_ff @(posedge clk_i) begin
      if (take) size_q <= (middle_q ? size_q : '0) + bytes_t'(FlitBytes) - bytes_t'(flit_i.empty);
      if (take && !middle_q) begin
        length_q <= flit_i.desc.length;
        offset_q <= greatest_offset(flit_i.desc);
      end
      if (take || whole_q) whole_q <= take && flit_i.last && !flit_i.bad;
    end

    always_ff @(posedge clk_i) begin
      if (take) begin
        if (!middle_q && !Tenants[flit_i.desc.tenant]) begin
          assert (1'b0)
          else $error("a message is tenant %0d's", flit_i.desc.tenant);
        end
        if (middle_q && size_q >= bytes_t'(MaxFrameFlits * FlitBytes)) begin
          assert (1'b0)
          else $error("a message is longer than %0d bytes", MaxFrameBytes);
        end
      end
      if (whole_q && !rst_i) begin
        if (length_q != '0 && bytes_t'(length_q) != size_q) begin
          assert (1'b0)
          else $error("a message has %0d bytes; its descriptor says %0d", size_q, length_q);
        end
        if (bytes_t'(offset_q) > size_q) begin
          assert (1'b0)
          else $error("an offset is beyond the %0d bytes of a message", size_q);
        end
      end
    end
  end
endmodule
