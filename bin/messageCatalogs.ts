import { createCompiledCatalog, getCatalogForFile, getCatalogs } from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'rolldown/utils'
import type { Plugin } from 'vite'

/** A node of a parsed program (ESTree). */
interface AstNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

const isAstNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && typeof (value as AstNode).type === 'string'

/** The nodes directly below one, in no particular order. */
function childrenOf(node: AstNode): AstNode[] {
  return Object.values(node).flat().filter(isAstNode)
}

/** The id of a message: a text, or a property beside the text and its context. */
function idOf(message: AstNode | undefined): unknown {
  if (message?.type !== 'ObjectExpression') return message?.['value']
  const properties = message['properties'] as { key: { name: string }; value: AstNode }[]
  return properties.find(({ key }) => key.name === 'id')?.value['value']
}

interface Source {
  /** The paths of the app's modules that it imports statically. */
  imports: string[]
  /** The messages that it displays. */
  messages: string[]
}

/** Reads the imports and messages of a module of the app. `path` is absolute. */
function readSource(path: string): Source {
  const { program, module } = parseSync(path, readFileSync(path, 'utf8'))
  const messages: string[] = []
  const visit = (node: AstNode): void => {
    if (node.type === 'CallExpression') {
      const callee = node['callee'] as { object?: { name?: string }; property?: { name?: string } }
      const [message] = node['arguments'] as AstNode[]
      if (callee.object?.name === 'i18n' && callee.property?.name === '_') {
        const id = idOf(message)
        if (typeof id !== 'string') throw new Error(`${path} computes the text of a message`)
        messages.push(id)
      }
    }
    childrenOf(node).forEach(visit)
  }
  visit(program as unknown as AstNode)
  const imports = [
    ...module.staticImports.filter(
      ({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType),
    ),
    ...module.staticExports.flatMap(({ entries }) => entries.filter(({ isType }) => !isType)),
  ].flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
  return {
    messages,
    imports: imports
      .filter((name) => name.startsWith('.') && /\.tsx?$/.test(name))
      .map((name) => join(dirname(path), name)),
  }
}

/**
 * Compiles the `.po` file of each language to two catalogs, so that the browser needs no message parser. The first
 * has the messages of the first screens, which the page loads before it renders. The second has all others.
 *
 * A dynamic import waits for the second catalog if its module displays a message of it: `import('./Menu.tsx')`
 * becomes `withMessages(import('./Menu.tsx'))`.
 *
 * @param firstScreens Modules of the first screens. The first catalog contains their messages and those of their
 * static imports.
 */
export function messageCatalogs(root: string, firstScreens: readonly string[]): Plugin {
  const sources = new Map<string, Source>()
  const messagesOf = (paths: readonly string[]): Set<string> => {
    const waiting = [...paths]
    const reached = new Set<string>()
    for (const path of waiting) {
      if (reached.has(path)) continue
      reached.add(path)
      const source = sources.get(path) ?? readSource(path)
      sources.set(path, source)
      waiting.push(...source.imports)
    }
    return new Set([...reached].flatMap((path) => sources.get(path)!.messages))
  }
  const runtime = join(root, 'app/ui/withMessages.ts')
  let first = new Set<string>()
  return {
    name: 'linnet-message-catalogs',
    apply: 'build',
    enforce: 'pre',
    async buildStart() {
      const config = getConfig({ cwd: root })
      for (const catalog of await getCatalogs(config))
        for (const locale of config.locales) {
          const file = catalog.getFilename(locale)
          if (!existsSync(file))
            throw new Error(`${relative(root, file)} is missing (run: npx lingui extract)`)
        }
      sources.clear()
      first = messagesOf(firstScreens.map((path) => join(root, path)))
    },
    transform: {
      filter: { id: /[\\/]app[\\/].*\.tsx?$/, code: /\bimport\(/ },
      handler(code, id) {
        const { program } = parseSync(id, code)
        const imports: AstNode[] = []
        const visit = (node: AstNode): void => {
          const source = node['source']
          if (node.type === 'ImportExpression' && isAstNode(source)) {
            const name = String(source['value'])
            const path = join(dirname(id), name)
            if (/\.tsx?$/.test(name) && [...messagesOf([path])].some((message) => !first.has(message)))
              imports.push(node)
          }
          childrenOf(node).forEach(visit)
        }
        visit(program as unknown as AstNode)
        if (imports.length === 0) return null
        let changed = code
        for (const { start, end } of imports.toSorted((a, b) => b.start - a.start))
          changed = `${changed.slice(0, start)}withMessages(${changed.slice(start, end)})${changed.slice(end)}`
        return { code: `import { withMessages } from ${JSON.stringify(runtime)}\n${changed}`, map: null }
      },
    },
    async load(id) {
      const [path = '', part] = id.split('?')
      if (!path.endsWith('.po')) return null
      const config = getConfig({ cwd: root })
      const sourceLocale = config.sourceLocale ?? 'en'
      const found = getCatalogForFile(relative(root, path), await getCatalogs(config))
      if (!found) return null
      this.addWatchFile(path)
      const { messages, missing } = await found.catalog.getTranslations(found.locale, {
        fallbackLocales: { default: sourceLocale },
        sourceLocale,
      })
      if (missing.length) this.warn(`${found.locale} lacks ${missing.length} messages`)
      // In the source language a sentence without placeholders is its own translation.
      const isNeeded = (message: string): boolean =>
        first.has(message) !== (part === 'rest') && (found.locale !== sourceLocale || /[{}#']/.test(message))
      const needed = Object.entries(messages).filter(([message]) => isNeeded(message))
      const compiled = createCompiledCatalog(found.locale, Object.fromEntries(needed), { namespace: 'es' })
      if (compiled.errors.length)
        throw new Error(compiled.errors.map((error) => String(error.error)).join('\n'))
      return { code: compiled.source, moduleType: 'js' }
    },
  }
}
