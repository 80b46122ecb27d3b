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

const files = {
  '.linguirc': JSON.stringify({
    sourceLocale: 'en',
    locales: ['en', 'de'],
    catalogs: [{ path: '<rootDir>/app/ui/locales/{locale}', include: ['app'] }],
  }),
  'app/ui/locales/en.po': catalog({ First: 'First', Shared: 'Shared', '{n} later': '{n} later' }),
  'app/ui/locales/de.po': catalog({ First: 'Zuerst', Shared: 'Gemeinsam', '{n} later': '{n} später' }),
  'app/shared.ts': `import { i18n } from '@lingui/core'
    export const shared = () => i18n._('Shared')`,
  'app/early.ts': `import { shared } from './shared.ts'
    export const early = () => shared()`,
  'app/later.ts': `import { i18n } from '@lingui/core'
    export const later = () => i18n._('{n} later', { n: 2 })`,
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
      return { first, texts: [i18n._('First'), shared(), (await later).later()] }
    }`,
}

it('the first catalog has the messages of the first screens; imports that show others wait for them', async () => {
  const root = mkdtempSync(join(tmpdir(), 'linnet-catalogs-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, content] of Object.entries(files)) {
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
  const { show, requests } = (await import(pathToFileURL(join(root, 'built/main.mjs')).href)) as {
    show: () => Promise<{ first: string[]; texts: string[] }>
    requests: string[]
  }
  expect(await show()).toEqual({
    first: ['First', 'Shared'],
    texts: ['Zuerst', 'Gemeinsam', '2 später'],
  })
  expect(requests).toEqual(['early', 'rest'])
})
