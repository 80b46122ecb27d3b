import react from '@vitejs/plugin-react'
import { build, defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'
import { hoverStyles } from './bin/hoverStyles.ts'
import { messageCatalogs } from './bin/messageCatalogs.ts'

/** What the first paint needs, and what a conversation needs besides: the modules that each imports statically. */
const entry = 'app/main.tsx'
const conversation = 'app/screens/conversation/Panes.tsx'

/** The app is built to `dist/app`: hashed assets, nothing inline, so that a strict content policy holds. */
export default defineConfig({
  root: `${import.meta.dirname}/app`,
  publicDir: 'public',
  css: { postcss: { plugins: [hoverStyles()] } },
  // The router imports React's own hook from a package for versions of React that lack it.
  resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
  plugins: [
    react({ compiler: true }),
    messageCatalogs(import.meta.dirname, [entry, conversation]),
    headStart(),
    serviceWorker(),
    webPage(),
  ],
  build: {
    outDir: '../dist/app',
    emptyOutDir: true,
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    // A data: URL would need its own line in the content policy for each kind of asset.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // A chunk is fetched by its import and the runtime by the page: in the table of what to preload, which is part of
      // the first script, they would only cost bytes.
      resolveDependencies: (filename, deps, { hostType }) =>
        hostType === 'html'
          ? deps
          : deps.filter((dep) => dep !== filename && !dep.includes('rolldown-runtime')),
    },
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        // bench/shell.ts finds the message catalogs by these names.
        chunkFileNames: ({ facadeModuleId }) => {
          const [, language, rest] = /(\w+)\.po(\?rest)?$/.exec(facadeModuleId ?? '') ?? []
          return `assets/${language ? `messages-${language}${rest ? '-rest' : ''}` : '[name]'}-[hash].js`
        },
        // What the first paint needs is one file, and what a conversation needs besides is another: two
        // dozen small ones would queue on a slow line.
        codeSplitting: {
          groups: [
            { name: reachedFrom(entry, 'shell'), debugName: 'shell', priority: 2 },
            {
              name: reachedFrom(conversation, 'conversation'),
              debugName: 'conversation',
              priority: 1,
            },
            // What dialogs and forms share, and the pages of signing in: one file each, since every small one is a request
            // of its own, and its name is part of the first script.
            { name: 'forms', test: /[\\/]app[\\/]ui[\\/]|[\\/]lucide-react[\\/]/, minShareCount: 2 },
            {
              name: 'entry',
              test: /[\\/]app[\\/]((screens|features[\\/]flows|data)[\\/]account|screens[\\/]first-run)[\\/]/,
              minShareCount: 2,
            },
            { name: folderOf, debugName: 'folder', minShareCount: 2 },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
})

type ModuleOf = { getModuleInfo(id: string): { importedIds: readonly string[] } | null }

/** Names the chunk of the modules that one imports statically, itself included; others are the bundler's. */
function reachedFrom(path: string, name: string): (id: string, context: ModuleOf) => string | null {
  const reached = new Set<string>()
  return (id, context) => {
    if (reached.size === 0) {
      const waiting = [`${import.meta.dirname}/${path}`]
      for (const next of waiting) {
        if (reached.has(next)) continue
        reached.add(next)
        waiting.push(...(context.getModuleInfo(next)?.importedIds ?? []))
      }
    }
    return reached.has(id) ? name : null
  }
}

/**
 * Names the chunk of what several parts share that are loaded on demand: by its screen, flow, layer of features or data, whose parts
 * are used together. Those of files by their directory: what a displayed file needs is not to wait for what uploads one.
 */
function folderOf(id: string): string | null {
  const folder =
    /[\\/]app[\\/](?:screens|data|features[\\/](?:flows|parts(?=[\\/]files))|features)[\\/]((?:files[\\/])?\w+)[\\/]/.exec(
      id,
    )?.[1]
  return folder?.replace(/[\\/]/, '-') ?? null
}

/**
 * Lets the browser fetch, beside the shell, what the first screen needs a moment later: the font of
 * Latin text, the client library and the conversation, which would wait for the shell otherwise.
 */
function headStart(): Plugin {
  return {
    name: 'linnet-head-start',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const tags: HtmlTagDescriptor[] = []
        for (const file of Object.values(bundle ?? {})) {
          const href = `/${file.fileName}`
          if (file.type === 'asset' && file.names.some((name) => name.startsWith('inter-latin-opsz-normal')))
            tags.push(head('link', { rel: 'preload', as: 'font', type: 'font/woff2', href, crossorigin: '' }))
          if (file.type === 'chunk' && file.moduleIds.some(isFirstNeeded))
            tags.push(head('link', { rel: 'modulepreload', href, crossorigin: '' }))
        }
        return tags
      },
    },
  }
}

/**
 * Builds the service worker by itself: one file without imports, under a name that stays, beside index.html. Its address
 * decides which pages it may serve, and browsers look there for its next version. It names the files of this build, so
 * that each build has a worker of its own.
 */
function serviceWorker(): Plugin {
  return {
    name: 'linnet-service-worker',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const page = bundle['index.html']
        const html = page?.type === 'asset' ? String(page.source) : ''
        const entry = [...html.matchAll(/<script type="module"[^>]* src="(\/assets\/[^"]+)"/g)].at(-1)?.[1]
        if (!entry) throw new Error('index.html starts no script')
        const assets = Object.keys(bundle)
          .map((name) => `/${name}`)
          .filter(isStored)
        const built = await build({
          configFile: false,
          logLevel: 'warn',
          publicDir: false,
          css: { postcss: { plugins: [hoverStyles()] } },
          define: { __BUILD__: JSON.stringify({ entry, assets: assets.toSorted() }) },
          build: {
            write: false,
            target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
            rolldownOptions: {
              input: `${import.meta.dirname}/app/worker/serviceWorker.ts`,
              output: { format: 'iife' },
            },
          },
        })
        const [chunk] = 'output' in built ? built.output : []
        if (chunk?.type !== 'chunk') throw new Error('The service worker was not built')
        this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: chunk.code })
      },
    },
  }
}

/**
 * Builds the page of channels on the web by itself: it shares no file with the messenger, which its readers do not load.
 * After the service worker, which stores none of its files.
 */
function webPage(): Plugin {
  return {
    name: 'linnet-web-page',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler() {
        const names = 'assets/web-[name]-[hash]'
        const built = await build({
          configFile: false,
          logLevel: 'warn',
          root: `${import.meta.dirname}/app`,
          publicDir: false,
          plugins: [messageCatalogs(import.meta.dirname, ['app/screens/web/showPage.ts'])],
          build: {
            write: false,
            target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
            assetsInlineLimit: 0,
            modulePreload: { polyfill: false },
            rolldownOptions: {
              input: `${import.meta.dirname}/app/web.html`,
              output: {
                entryFileNames: `${names}.js`,
                chunkFileNames: `${names}.js`,
                assetFileNames: `${names}[extname]`,
              },
            },
          },
        })
        if (!('output' in built)) throw new Error('The page of channels on the web was not built')
        for (const file of built.output)
          this.emitFile({
            type: 'asset',
            fileName: file.fileName,
            source: file.type === 'chunk' ? file.code : file.source,
          })
      },
    },
  }
}

/** What a page needs without a network: of the fonts those of Latin text, the others have substitutes. */
function isStored(path: string): boolean {
  return path.startsWith('/assets/') && (!path.endsWith('.woff2') || path.includes('inter-latin-opsz'))
}

function isFirstNeeded(id: string): boolean {
  return /[\\/]data[\\/]client[\\/]createSessionClient\.ts$|[\\/]screens[\\/]conversation[\\/]Panes\.tsx$/.test(
    id,
  )
}

function head(tag: string, attrs: Record<string, string>): HtmlTagDescriptor {
  return { tag, attrs, injectTo: 'head' }
}
