import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isSecretKey } from '../gateway/isSecretKey.ts'
import { siteFiles } from '../gateway/siteFiles.ts'
import { defineCommand } from './Command.ts'
import { originOf } from './originOf.ts'
import { UsageError } from './UsageError.ts'

/** Only into a folder of ours or a new one, so that nobody's files are overwritten by a slip. */
function requireFree(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, 'linnet.json'))) {
    throw new UsageError(
      `${out} holds something else. --out names an empty folder, or one that "linnet build" made.`,
    )
  }
}

/** `linnet build`: the application for a static host. It is built where it is missing or stale. */
export const build = defineCommand({
  name: 'build',
  group: 'Moving',
  summary: 'Build the application for a static host',
  help: `Without --out it is built into dist/app, as "linnet start" serves it. With it, the folder
is ready for a static host: with linnet.json, which says where the backend is, and
with the headers and the fallback in the form that Netlify and Cloudflare Pages read.`,
  options: {
    out: { value: 'DIR', help: 'the folder to fill' },
    url: { value: 'URL', help: 'of the backend, such as https://<ref>.supabase.co' },
    key: { value: 'KEY', help: 'its publishable key' },
    site: { value: 'URL', help: 'where the application will be served' },
    installation: { value: 'NAME', help: 'any short name: linnet unless said' },
  },
  async run({ root, prepareApp, options }) {
    await prepareApp()
    const app = join(root, 'dist', 'app')
    if (options.out === undefined) {
      process.stdout.write(`The application is in ${app}\n`)
      return 0
    }
    const { url, key, site, installation = 'linnet' } = options
    if (url === undefined || key === undefined || site === undefined) {
      throw new UsageError('linnet build --out needs --url, --key and --site. See "linnet build --help".')
    }
    if (isSecretKey(key)) {
      throw new UsageError(
        '--key is a secret key. linnet.json is for everyone: it takes the publishable one.',
      )
    }
    const out = resolve(options.out)
    requireFree(out)
    const files = siteFiles({
      url: originOf('--url', url),
      site: originOf('--site', site),
      key,
      installation,
    })
    mkdirSync(out, { recursive: true })
    cpSync(app, out, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(out, name), text)
    process.stdout.write(
      `The application is in ${out}\nServe it at ${site}, every page's address with index.html.\n`,
    )
    return 0
  },
})
