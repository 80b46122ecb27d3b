import { defineConfig } from 'vitest/config'

/**
 * Files of one worker share what they import: importing it for each took a third of the time. A test leaves no state
 * in a module that another could meet. A condition that is waited for may take longer than the default of one second
 * where all cores are busy. Projects inherit nothing, so each names this.
 */
const shared = {
  isolate: false,
  expect: { poll: { timeout: 10_000 } },
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
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'rules',
          include: ['supabase/tests/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'acceptance',
          include: ['tests/acceptance/**/*.test.ts'],
          globalSetup: 'tests/acceptance/startTarget.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
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
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    // One more than the cores we count on: many files wait for a server to start or to end.
    maxWorkers: 3,
  },
})
