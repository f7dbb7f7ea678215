// SPDX-License-Identifier: Apache-2.0
// Where a core starts, and where it goes after a fault.
    .section .vectors, "ax"
    .option push
    .option norvc
    .globl _vectors
_vectors:
    .rept 32
    j _fault
    .endr
    .option pop
    .globl _start
_start:                         // 128 bytes after the vectors
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, _stack
    la a0, _data_start
    la a1, _data_image
    la a2, _data_end
1:  bgeu a0, a2, 2f
    lw a3, 0(a1)
    sw a3, 0(a0)
    addi a0, a0, 4
    addi a1, a1, 4
    j 1b
2:  la a0, _bss_start
    la a1, _bss_end
3:  bgeu a0, a1, 4f
    sw zero, 0(a0)
    addi a0, a0, 4
    j 3b
4:  call main
    j girih_stop                // with what main returns

_fault:
    la sp, _stack
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    j girih_fault
