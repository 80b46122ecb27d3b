import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
let dir = ''

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-import-rules-'))
  cpSync(join(root, '.oxlintrc.json'), join(dir, '.oxlintrc.json'))
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Output of the linter for a file at `path` that imports `from`. */
function lint(path: string, from: string): string {
  const file = join(dir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `import { x } from '${from}'\n\nexport const y = x\n`)
  const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/oxlint/bin/oxlint'), path], {
    cwd: dir,
    encoding: 'utf8',
  })
  return stdout
}

// Each rule is violated once, to detect a configuration without effect.
it.each([
  ['app/features/composer/Composer.tsx', '../../screens/sign-in/SignIn.tsx', 'screens -> features -> data'],
  ['app/data/store.ts', '../features/message/Message.tsx', 'Data knows no interface'],
  ['app/data/store.ts', '@supabase/supabase-js', 'Only app/data/client/supabase.ts'],
  ['app/screens/settings/Settings.tsx', '@supabase/ssr', 'Only app/data/client/supabase.ts'],
  ['app/screens/settings/Settings.tsx', '../../../backend/log.ts', 'The app never meets the backend'],
  ['app/ui/Button.tsx', '../data/store.ts', 'The ui kit knows nothing'],
  ['app/worker/serviceWorker.ts', '../data/store.ts', 'one small file beside the app'],
  ['tests/acceptance/auth.test.ts', '../support/people.ts', 'Acceptance tests know a server only'],
  ['wire/linnet.ts', '../backend/log.ts', 'The wire holds shapes'],
  ['backend/budgets/createBudget.ts', '../postgres/pool.ts', 'Budgets are below all services'],
  ['backend/postgres/pool.ts', '../rest/errors.ts', 'postgres is below the services'],
  ['backend/rest/errors.ts', '../auth/http/AuthError.ts', 'Services never import each other'],
  ['backend/rest/parse/parseQuery.ts', '../plan/plan.ts', 'what a request says'],
  ['backend/rest/parse/parseQuery.ts', '../schemaCache/schemaCache.ts', 'what a request says'],
  ['backend/rest/plan/planRead.ts', '../sql/quote.ts', 'what a request will do'],
  ['backend/rest/sql/readSql.ts', '../respond/renderAnswer.ts', 'how its answer is told'],
  ['backend/rest/sql/readSql.ts', '../../postgres/pool.ts', 'parse, plan and sql are pure'],
  ['backend/rest/plan/planRead.ts', 'pg', 'parse, plan and sql are pure'],
  ['backend/rest/plan/planRead.ts', '../../auth/http/AuthError.ts', 'Services never import each other'],
  ['backend/rest/schemaCache/loadViews.ts', '../sql/quote.ts', 'beside the pipeline'],
  ['backend/storage/errors.ts', '../gateway/keys.ts', 'Services never import each other'],
  ['backend/realtime/topics.ts', '../../app/data/store.ts', 'App and backend never meet'],
])('refuses %s importing %s', (path, from, reason) => {
  expect(lint(path, from)).toContain(reason)
})

it.each([
  ['app/screens/settings/Settings.tsx', '../../features/theme/Theme.tsx'],
  ['app/features/composer/Composer.tsx', '../../data/messages/messages.ts'],
  ['app/data/client/supabase.ts', '@supabase/ssr'],
  ['app/data/store.ts', '../../wire/linnet.ts'],
  ['backend/rest/runRequest.ts', '../postgres/pool.ts'],
  ['backend/rest/plan/planRead.ts', '../parse/query.ts'],
  ['backend/rest/sql/readSql.ts', '../plan/plan.ts'],
  ['backend/rest/respond/databaseError.ts', '../sql/requestSql.ts'],
  ['backend/rest/schemaCache/loadViews.ts', '../../postgres/pool.ts'],
  ['backend/gateway/createGateway.ts', '../rest/createRestService.ts'],
])('lets %s import %s', (path, from) => {
  expect(lint(path, from)).not.toContain('no-restricted-imports')
})
