/** Says at the end of `npm run test:unit` what it did not run. */
export const setup = () => () =>
  console.log(
    'The tests that start real programs did not run; as root on Debian, scripts/test installs these programs and runs all.',
  );
