import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, print, readIfExists, requireWritable, root } from './checkout.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { hashSources } from './hashSources.mjs'
import { renderNotices } from './renderNotices.mjs'

/**
 * Bundles a TypeScript file for Node into `<outDir>/<name>.js`, without packages.
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
  const { build } = await import('vite')
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
  writeFileSync(join(root, 'dist/app/THIRD-PARTY-NOTICES.txt'), renderNotices())
}

export function runBuild(/** @type {string[]} */ ...args) {
  const { status } = spawnSync(process.execPath, [join(root, 'bin', 'build.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) fail(`The ${args[0]} could not be built: see the error above.`)
}

/** Builds the browser application if its sources changed. */
export async function ensureApp() {
  const sources = hashSources(['app', 'wire'])
  const stamp = join(root, 'dist', '.app-stamp')
  if (readIfExists(stamp) === sources && existsSync(join(root, 'dist', 'app', 'index.html'))) return
  requireWritable()
  ensureDependencies()
  print('Building the application…')
  runBuild('app')
  // If sources changed during the build, it matches neither state.
  if (hashSources(['app', 'wire']) === sources) writeFileSync(stamp, sources)
}
