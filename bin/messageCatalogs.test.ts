import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import { messageCatalogs } from './messageCatalogs.ts'

const runtime = 'app/ui/withMessages.ts'

/** A `.po` file with its header. */
function catalog(messages: Record<string, string>): string {
  const entries = Object.entries({ '': '', ...messages })
  return entries.map(([id, text]) => `#. js-lingui-explicit-id\nmsgid "${id}"\nmsgstr "${text}"\n`).join('\n')
}

const config = (locales: string[]) =>
  JSON.stringify({
    sourceLocale: 'en',
    locales,
    catalogs: [{ path: '<rootDir>/app/ui/locales/{locale}', include: ['app'] }],
  })
const choice = '{kind, select, file {A file} other {A link}}'

const files = {
  '.linguirc': config(['en', 'de']),
  'app/ui/locales/en.po': catalog({
    First: 'First',
    Shared: 'Shared',
    '{n} later': '{n} later',
    [choice]: choice,
  }),
  'app/ui/locales/de.po': catalog({
    First: 'Zuerst',
    Shared: 'Gemeinsam',
    '{n} later': '{n} später',
    'To (time)': 'Bis',
    [choice]: '{kind, select, file {Eine Datei} other {Ein Link}}',
  }),
  'app/shared.ts': `import { i18n } from '@lingui/core'
    export const shared = () => i18n._('Shared')`,
  'app/early.ts': `import { shared } from './shared.ts'
    export const early = () => shared()`,
  'app/later.ts': `import { i18n } from '@lingui/core'
    export const later = () => i18n._('{n} later', { n: 2 })
    export const until = () => i18n._({ id: 'To (time)', message: 'To', context: 'the end of a period' })
    export const kinds = () => ['file', 'page'].map((kind) => i18n._('${choice}', { kind }))`,
  'app/main.ts': `import { i18n } from '@lingui/core'
    import { setRestLoader } from './ui/withMessages.ts'
    import { shared } from './shared.ts'
    export let requests = []
    export async function show() {
      const early = import('./early.ts')
      const later = import('./later.ts')
      await early
      requests.push('early')
      const { messages } = await import('./ui/locales/de.po')
      const first = Object.keys(messages).toSorted()
      i18n.loadAndActivate({ locale: 'de', locales: ['de'], messages })
      setRestLoader(() => {
        requests.push('rest')
        return import('./ui/locales/de.po?rest')
      })
      return { first, texts: [i18n._('First'), shared(), (await later).later(), (await later).until(), ...(await later).kinds()] }
    }`,
}

/** Builds an application and returns its directory. */
async function buildApp(sources: Record<string, string>): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'linnet-catalogs-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, content] of Object.entries(sources)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(root, 'node_modules'))
  copyFileSync(join(import.meta.dirname, '..', runtime), join(root, runtime))
  await build({
    configFile: false,
    logLevel: 'silent',
    root,
    plugins: [messageCatalogs(root, ['app/main.ts'])],
    build: {
      ssr: 'app/main.ts',
      outDir: 'built',
      rolldownOptions: { output: { entryFileNames: 'main.mjs' } },
    },
  })
  return root
}

it('the first catalog has the messages of the first screens; imports that show others wait for them', async () => {
  const root = await buildApp(files)
  const { show, requests } = (await import(pathToFileURL(join(root, 'built/main.mjs')).href)) as {
    show: () => Promise<{ first: string[]; texts: string[] }>
    requests: string[]
  }
  expect(await show()).toEqual({
    first: ['First', 'Shared'],
    texts: ['Zuerst', 'Gemeinsam', '2 später', 'Bis', 'Eine Datei', 'Ein Link'],
  })
  expect(requests).toEqual(['early', 'rest'])
})

it('a language without a file of texts ends the build', async () => {
  const sources = { ...files, '.linguirc': config(['en', 'de', 'fr']) }
  await expect(buildApp(sources)).rejects.toThrow('app/ui/locales/fr.po is missing')
})
