import { defineConfig } from 'vitest/config'

/**
 * Files of one worker share what they import: importing it for each took a third of the time. A test leaves no state
 * in a module that another could meet. The limits only end a test that hangs: a condition is waited for as long as it
 * takes where all cores are busy, and costs no more where they are not. Projects inherit nothing, so each names this.
 */
const shared = {
  isolate: false,
  expect: { poll: { timeout: 60_000 } },
  testTimeout: 120_000,
  hookTimeout: 180_000,
  setupFiles: ['bin/suppressDeprecationWarning.mjs', 'tests/support/setUpTests.ts'],
}

/** Each kind of test is a project: `npm test -- unit|rules|acceptance|integration [words]`. Browser journeys run in Playwright. */
export default defineConfig({
  test: {
    globalSetup: 'tests/support/createTemplateFolder.ts',
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{app,backend,wire,bench,bin}/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          ...shared,
          name: 'rules',
          include: ['supabase/tests/**/*.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'acceptance',
          include: ['tests/acceptance/**/*.test.ts'],
          globalSetup: 'tests/acceptance/startTarget.ts',
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['tests/{integration,crash,idempotency,permissions,sync-property}/**/*.test.ts'],
          // These crash, fill and restart Linnet's own storage service: no other server can be put in its place.
          exclude:
            process.env['LINNET_STORAGE_SERVER'] === undefined ? [] : ['tests/integration/storage/faults/**'],
        },
      },
    ],
    // One more than the cores we count on: many files wait for a server to start or to end.
    maxWorkers: 3,
  },
})
