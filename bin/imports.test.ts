import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checkImports } from './imports.mjs'

/** What is wrong where one file imports another. */
const problemsOf = (path: string, target: string): string[] =>
  checkImports(
    new Map([
      [path, `import { x } from '${target}'\n`],
      ['backend/main.ts', ''],
    ]),
  )

// Each rule is broken once: a check that reads no imports finds no problem either.
it.each([
  ['app/features/parts/body/Body.tsx', '../../../screens/account/SignIn.tsx'],
  ['app/features/parts/body/Body.tsx', '../../conversation/message/MessageRow.tsx'],
  ['app/features/conversation/message/MessageRow.tsx', '../../flows/people/card/PersonCard.tsx'],
  ['app/features/theme/Theme.tsx', '../../ui/Button.tsx'],
  ['app/data/store/store.ts', '../../features/parts/body/Body.tsx'],
  ['app/data/store/store.ts', '@supabase/supabase-js'],
  ['app/screens/settings/Settings.tsx', '@supabase/ssr'],
  ['app/screens/settings/Settings.tsx', '../../../backend/logging/log.ts'],
  ['app/screens/settings/Settings.test.tsx', '../../../backend/logging/log.ts'],
  ['app/ui/Button.tsx', '../data/store/store.ts'],
  ['app/features/flows/sidebar/Sidebar.tsx', '../../../shell/Shell.tsx'],
  ['app/shell/Shell.tsx', '../screens/threads/ThreadsPage.tsx'],
  ['app/screens/drafts/DraftsPage.tsx', '../threads/Thread.tsx'],
  ['app/screens/drafts/DraftsPage.tsx', '../../routes.tsx'],
  ['app/paths.ts', './data/store/store.ts'],
  ['app/historyState.ts', './ui/useMedia.ts'],
  ['app/worker/serviceWorker.ts', '../data/store/store.ts'],
  ['tests/acceptance/auth.test.ts', '../support/people.ts'],
  ['wire/commands.ts', '../backend/logging/log.ts'],
  ['backend/runtime/exchange.ts', '../postgres/connections/pool.ts'],
  ['backend/postgres/connections/pool.ts', '../../rest/errors.ts'],
  ['backend/rest/errors.ts', '../auth/http/AuthError.ts'],
  ['backend/startup/openDatabase.ts', '../optional/deploy/compare.ts'],
  ['backend/metrics/createMetrics.ts', '../optional/dashboard/createDashboard.ts'],
  ['backend/realtime/hub.ts', '../../app/data/store/store.ts'],
  ['backend/unknown/file.ts', '../main.ts'],
  ['backend/rest/parse/parseQuery.ts', '../plan/plan.ts'],
  ['backend/rest/parse/parseQuery.ts', '../schemaCache/schemaCache.ts'],
  ['backend/rest/plan/planRead.ts', '../sql/quote.ts'],
  ['backend/rest/plan/planRead.ts', 'pg'],
  ['backend/rest/sql/readSql.ts', '../respond/renderAnswer.ts'],
  ['backend/rest/sql/readSql.ts', '../../postgres/connections/pool.ts'],
  ['backend/rest/schemaCache/loadViews.ts', '../sql/quote.ts'],
])('refuses %s importing %s', (path, target) => {
  expect(problemsOf(path, target)).toHaveLength(1)
})

it('refuses modules together that one component has replaced', () => {
  const text = `import { Dialog } from '../../../ui/Dialog.tsx'\nimport { Form } from '../../../ui/Form.tsx'\n`
  expect(checkImports(new Map([['app/features/flows/channels/CreateChannel.tsx', text]]))).toEqual([
    'app/features/flows/channels/CreateChannel.tsx may not import app/ui/Dialog.tsx and app/ui/Form.tsx: use app/ui/FormDialog.tsx',
  ])
})

it.each([
  ['app/screens/settings/Settings.tsx', '../../features/parts/lists/PagedList.tsx'],
  ['app/features/flows/messages/MoveThread.tsx', '../../conversation/message/MessageRow.tsx'],
  ['app/features/flows/messages/MoveThread.tsx', '../channels/ConversationPicker.tsx'],
  ['app/screens/threads/ThreadsPage.tsx', '../../shell/PaneHeader.tsx'],
  ['app/screens/settings/settingsRoutes.ts', '../../routes.tsx'],
  ['app/screens/settings/own/AboutPane.tsx', '../settingsRoutes.ts'],
  ['app/worker/push/pushNotification.ts', '../../paths.ts'],
  ['app/ui/Dialog.tsx', '../historyState.ts'],
  ['app/data/client/cookieStorage.ts', '@supabase/ssr'],
  ['app/data/store/store.ts', '../../../wire/commands.ts'],
  ['backend/rest/serving/runRequest.ts', '../../postgres/connections/pool.ts'],
  ['backend/rest/plan/planRead.ts', '../parse/query.ts'],
  ['backend/cli/linnet.ts', '../optional/deploy/compare.ts'],
  ['backend/main.ts', './rest/createRestService.ts'],
])('lets %s import %s', (path, target) => {
  expect(problemsOf(path, target)).toEqual([])
})

it('refuses a cycle of directories of features whose files import each other in one direction', () => {
  const files = new Map([
    ['app/features/parts/a/One.tsx', "const load = () => import('../b/Two.tsx')\n"],
    ['app/features/parts/b/Two.tsx', "import '../c/three/Three.module.css'\n"],
    ['app/features/parts/c/Four.ts', "import type { Other } from '../b/Other.ts'\n"],
    ['app/features/parts/c/Four.test.ts', "import { One } from '../a/One.tsx'\n"],
  ])
  const [problem, ...others] = checkImports(files)
  expect(problem).toMatch(/^app\/features\/parts\/b is in a cycle.*Two.tsx imports .*Four.ts imports /)
  expect(others).toEqual([])
})

it('oxlint refuses a cycle of imports, types included', () => {
  const directory = mkdtempSync(join(tmpdir(), 'linnet-imports-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'a.ts'), "import { b } from './b.ts'\nexport const a = b\n")
  writeFileSync(join(directory, 'b.ts'), "import type { C } from './c.ts'\nexport const b: C = 1\n")
  writeFileSync(join(directory, 'c.ts'), "export * from './a.ts'\nexport type C = number\n")
  writeFileSync(join(directory, 'd.ts'), "import { a } from './a.ts'\nexport const d = a\n")
  const root = join(import.meta.dirname, '..')
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/oxlint/bin/oxlint'),
      '-c',
      join(root, '.oxlintrc.json'),
      '-f',
      'unix',
      directory,
    ],
    { encoding: 'utf8' },
  )
  const lines = stdout.split('\n').filter((line) => line.includes('no-cycle'))
  expect(lines.map((line) => /(\w\.ts):/.exec(line)?.[1]).toSorted()).toEqual(['a.ts', 'b.ts', 'c.ts'])
})
