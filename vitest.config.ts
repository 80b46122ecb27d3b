import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { isFirstTier, secondTier } from './tests/tiers.ts'

/**
 * Unit tests that replace modules, or compare with the platform's own `Response`, which the HTTP library replaces where
 * another file has loaded it. A worker that has loaded such a module for another file would keep using it, and what these
 * files load has the replacement.
 */
const isolatedUnitTests = ['app', 'backend', 'wire', 'bench', 'bin'].flatMap((directory) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter(
      (file) =>
        /\.test\.tsx?$/.test(file) && /vi\.mock\(|globalThis\.Response/.test(readFileSync(file, 'utf8')),
    ),
)

const excluded = isFirstTier ? secondTier : []

/**
 * Files of one worker share what they import: importing it for each took a third of the time. A test leaves no state
 * in a module that another could meet. The limits only end a test that hangs: a condition is waited for as long as it
 * takes where all cores are busy, and costs no more where they are not. Projects inherit nothing, so each names this.
 */
const shared = {
  isolate: false,
  expect: { poll: { timeout: 240_000 } },
  testTimeout: 600_000,
  hookTimeout: 600_000,
  setupFiles: ['bin/suppressDeprecationWarning.mjs', 'tests/support/setUpTests.ts'],
}

/** Installed versions of PostgreSQL other than the embedded one, as `npm run test:all` names them: `15=FOLDER 17=FOLDER`. */
const otherPostgres = (process.env['LINNET_OTHER_POSTGRES'] ?? '')
  .split(' ')
  .filter(Boolean)
  .map((one) => ({ version: one.slice(0, one.indexOf('=')), folder: one.slice(one.indexOf('=') + 1) }))

/**
 * What can differ between versions of PostgreSQL: the objects that migrations create, plans, text search, Unicode, locks,
 * privileges, the replacements of extensions, and the rows that an archive has and an import writes.
 */
const testsThatDependOnPostgres = [
  'archive',
  'archiveTables',
  'catalogues',
  'schemaFiles',
  'inventory',
  'attacks',
  'concurrency',
  'cost',
  'differences',
  'extensionReplacements',
  'jobs',
  'rowVisibility',
  'search',
  'searchFilters',
].map((name) => `supabase/tests/${name}.test.ts`)

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
          exclude: [...isolatedUnitTests, ...excluded],
        },
      },
      {
        test: {
          ...shared,
          name: 'unit-isolated',
          include: isolatedUnitTests,
          isolate: true,
        },
      },
      {
        test: {
          ...shared,
          name: 'rules',
          include: ['supabase/tests/**/*.test.ts'],
          exclude: ['supabase/tests/catalogues.test.ts'],
          globalSetup: 'supabase/tests/support/startCluster.ts',
        },
      },
      ...otherPostgres.map(({ version, folder }) => ({
        test: {
          ...shared,
          name: `rules-${version}`,
          include: testsThatDependOnPostgres,
          env: { LINNET_POSTGRES: folder },
          globalSetup: 'supabase/tests/support/startCluster.ts',
        },
      })),
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
          exclude: [
            ...excluded,
            ...(process.env['LINNET_STORAGE_SERVER'] === undefined
              ? []
              : ['tests/integration/storage/faults/**']),
          ],
        },
      },
    ],
    // One more than the cores we count on: many files wait for a server to start or to end.
    maxWorkers: 3,
  },
})
