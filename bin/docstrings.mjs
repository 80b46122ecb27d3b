// Checks names in docstrings and names of files; `npm run lint` runs it. It prints each `@param` that is no parameter
// of the function below it. It also prints each file that is named as a factory (`createPool.ts`) and does not export
// that name.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The text between the first parenthesis of `code` and the one that closes it; null where there is none. */
function parametersOf(/** @type {string} */ code) {
  const start = code.indexOf('(')
  let depth = 0
  for (let at = start; at >= 0 && at < code.length; at += 1) {
    if (code[at] === '(') depth += 1
    if (code[at] === ')') depth -= 1
    if (depth === 0) return code.slice(start + 1, at)
  }
  return null
}

/**
 * The parameters that docstrings name and that what follows does not have.
 * @returns each name with its line
 */
export function findUnknownParameters(/** @type {string} */ text) {
  const found = []
  for (const { 0: comment, index } of text.matchAll(
    /\/\*\*(?:(?!\*\/)[\s\S])*@param(?:(?!\*\/)[\s\S])*\*\//g,
  )) {
    const code = text.slice(index + comment.length)
    const parameters = parametersOf(code)
    for (const match of comment.matchAll(/@param (?:\{[^}]*\} )?([\w$.]+)/g)) {
      const [, path = ''] = match
      const [name, ...fields] = path.split('.')
      // Fields of a named type are declared elsewhere.
      const isInline = parameters?.includes('{') && !parameters.includes('&')
      if (fields.length > 0 && !isInline) continue
      const pattern = new RegExp(`(?<![\\w$])${fields.at(-1) ?? name}(?![\\w$])`)
      const isKnown = pattern.test(parameters ?? '')
      if (!isKnown) found.push({ name: path, line: text.slice(0, index + match.index).split('\n').length })
    }
  }
  return found
}

/**
 * Whether a file is named as a factory (`createPool.ts`) and exports nothing of that name.
 * @param {string} path
 * @param {string} text
 */
export function lacksNamedExport(path, text) {
  const name = basename(path).replace(/\.\w+$/, '')
  if (!/^create[A-Z]/.test(name)) return false
  const declaration = `(?:async )?(?:const|function\\*?|class|type|interface) ${name}\\b`
  return !new RegExp(`\\bexport (?:${declaration}|\\{[^}]*\\b${name}\\b)`).test(text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const isSource = (/** @type {string} */ file) =>
    /^(?:app|backend|wire|bench|tests|supabase\/tests)\/.*\.tsx?$/.test(file)
  let count = 0
  for (const file of listed.split('\n').filter((one) => isSource(one) && existsSync(join(root, one)))) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const { name, line } of findUnknownParameters(text)) {
      count += 1
      console.log(`${file}:${line} @param ${name}: what follows has no such parameter`)
    }
    const isModule =
      /^(?:app|backend|wire)\//.test(file) && !/\.(?:test|fixture|generated|d|worker)\./.test(file)
    if (isModule && lacksNamedExport(file, text)) {
      count += 1
      console.log(`${file}: it exports nothing of its own name`)
    }
  }
  console.log(
    count === 0 ? 'Docstrings and file names match the code.' : `${count} names differ from the code.`,
  )
  process.exitCode = count === 0 ? 0 : 1
}
