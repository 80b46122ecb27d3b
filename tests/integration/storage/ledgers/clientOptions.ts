import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const dist = dirname(createRequire(import.meta.url).resolve('@supabase/storage-js'))

/** The type declarations of the installed client, without comments. */
const types = readFileSync(join(dist, 'index.d.mts'), 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*/g, '')

/** The lines of a declaration, up to its closing bracket. */
function blockOf(declaration: string): string {
  const start = types.search(new RegExp(`^(declare )?${declaration}\\b`, 'm'))
  if (start < 0) throw new Error(`the client declares no ${declaration}`)
  return types.slice(start, types.indexOf('\n}', start))
}

const isDeclared = (name: string): boolean => new RegExp(`^(interface|type) ${name} `, 'm').test(types)

/** The property names of a type, including those of the types that it combines. */
function fieldsOf(text: string): string[] {
  const own = [...text.matchAll(/(\w+)\??:/g)].map(([, name]) => name!)
  const made = [...text.matchAll(/\b[A-Z]\w*(?:Options|Parameters|Entry|By|ByV2)\b/g)].flatMap(([name]) =>
    isDeclared(name) && !text.includes(` ${name} `) ? fieldsOf(blockOf(`(?:interface|type) ${name}`)) : [],
  )
  return [...own, ...made]
}

/** The types of a method's parameters. */
function parametersOf(declaration: string): string {
  let depth = 0
  let end = 0
  for (; end < declaration.length; end++) {
    if (declaration[end] === '(') depth++
    if (declaration[end] === ')' && --depth === 0) break
  }
  const generics = /^ *\w+(<[^]*?>)\(/.exec(declaration)?.[1] ?? ''
  // Parameter names are not options.
  const parameters = declaration.slice(declaration.indexOf('(') + 1, end)
  return generics + parameters.replace(/(^|,)\s*\w+\??: (?=[^,]*)/g, '$1')
}

/**
 * The options of the methods of a class of the client, besides paths and contents. They are read from its types, because
 * a version that is installed later can have more options.
 */
export function clientOptions(name: string): Record<string, string[]> {
  const methods = blockOf(`class ${name}`).matchAll(
    /^ {2}(?!private|protected|constructor)(\w+)(?:<[^]*?>)?\([^]*?\): /gm,
  )
  const found = [...methods].map(([declaration, method]): [string, string[]] => {
    return [method!, [...new Set(fieldsOf(parametersOf(declaration)))].toSorted()]
  })
  return Object.fromEntries(found.filter(([, options]) => options.length > 0))
}
