/**
 * Tests that only `npm run test:all` runs, unless words name them: what serves other Supabase projects than Linnet's own.
 * `npm test` has to stay short enough that developers run it before each commit.
 */
export const secondTier = [
  // Other projects' schemas, and programs for their developers.
  'tests/integration/projects/{shop,todo}.test.ts',
  'tests/integration/types/**',
  'tests/integration/deploy/**',
  'tests/integration/rest/openapi.test.ts',
  'backend/extras/openapi/**',
  // Ways of signing in that Linnet's own settings do not enable.
  'tests/integration/auth/{wallets,phone,oauthServer}.test.ts',
  'backend/extras/sms/**',
]

/** Journeys of the second tier. */
export const secondTierJourneys = ['**/{applications,dashboard}.spec.ts']

/** Whether this run leaves out the second tier. */
export const isFirstTier = process.env['LINNET_TIER'] === 'first'
