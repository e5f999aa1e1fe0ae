# x86-64, System V: void and_block(uint8_t to[32], const uint8_t from[32]) with AVX2.
	.text
	.globl	and_block
	.type	and_block, @function
and_block:
	vmovdqu	(%rdi), %ymm0
	vpand	(%rsi), %ymm0, %ymm0
	vmovdqu	%ymm0, (%rdi)
	vzeroupper
	ret
	.size	and_block, .-and_block
