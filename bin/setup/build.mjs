import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, readIfExists, requireWritable, root } from './checkout.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { hashSources } from './hashSources.mjs'
import { renderNotices } from './renderNotices.mjs'
import { runStep } from './runStep.mjs'

/**
 * Packages of many small modules that `bundle` includes. Node needs more than a millisecond to resolve and load each module,
 * so every command would start half a second later. Packages with native code or files of their own are not in the list.
 */
const bundledPackages = [
  /^@noble\//,
  /^@scure\//,
  'age-encryption',
  'hono',
  'jose',
  'nodemailer',
  'semver',
  'smol-toml',
]

/**
 * Bundles a TypeScript file for Node into `<outDir>/<name>.js`, without packages other than `bundledPackages`.
 * @param {string} entry
 * @param {string} outDir
 * @param {string} name
 * @returns the URL of the built module
 */
export async function bundle(entry, outDir, name) {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: bundledPackages },
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        checks: { pluginTimings: false },
        // All in one directory: functionWorker.js is found beside the code that starts it.
        output: { entryFileNames: `${name}.js`, chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  return pathToFileURL(resolve(root, outDir, `${name}.js`)).href
}

/** For bin/build.mjs. */
export async function buildServer(/** @type {string} */ outDir) {
  await bundle('backend/cli/linnet.ts', outDir, 'linnet')
  await bundle('backend/functions/worker/worker.ts', outDir, 'functionWorker')
}

/** For bin/build.mjs. */
export async function buildApp() {
  // With another value from the shell or a test, the application would contain the development version of React.
  process.env['NODE_ENV'] = 'production'
  const { build } = await import('vite')
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
  writeFileSync(join(root, 'dist/app/THIRD-PARTY-NOTICES.txt'), renderNotices())
}

/** Runs bin/build.mjs, and ends this process if it fails. */
export async function runBuild(/** @type {string[]} */ ...args) {
  const name = args[0] === 'app' ? 'application' : args[0]
  const script = join(root, 'bin', 'build.mjs')
  if (await runStep(`Building the ${name}`, process.execPath, [script, ...args])) return
  fail(`The ${name} could not be built: the reason is above.`)
}

const hashAppSources = () => hashSources(['app', 'wire'], ['vite.config.ts', 'bin/messageCatalogs.ts'])

/** Builds the browser application if its sources changed. */
export async function ensureApp() {
  const sources = hashAppSources()
  const stamp = join(root, 'dist', '.app-stamp')
  if (readIfExists(stamp) === sources && existsSync(join(root, 'dist', 'app', 'index.html'))) return
  requireWritable()
  await ensureDependencies()
  await runBuild('app')
  // If sources changed during the build, it matches neither state.
  if (hashAppSources() === sources) writeFileSync(stamp, sources)
}
