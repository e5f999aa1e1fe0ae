int main(void)
{
	return sift_bits(42); /* the answer */
}
