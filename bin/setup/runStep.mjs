import { spawn } from 'node:child_process'
import { print, root } from './checkout.mjs'

/** Lines of a failed program's output that are printed. */
const printedLines = 40
/** Characters of output that are stored meanwhile. */
const storedCharacters = 64 * 1024

/** With --verbose the output of the program is printed as it is written. */
const isVerbose = process.argv.includes('--verbose')

const seconds = (/** @type {number} */ ms) =>
  ms < 60_000
    ? `${Math.round(ms / 1_000)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`

/**
 * Runs a program and displays it as one step: on a terminal one line, which is replaced while the program runs, elsewhere a
 * line at its start. If the program fails, prints the end of its output. `backend/cli/progress.ts` displays the steps of a
 * built server in the same form.
 * @param {string} title without a full stop: "Building the server"
 * @param {string} command
 * @param {string[]} args
 * @returns whether the program succeeded
 */
export async function runStep(title, command, args) {
  const startedAt = Date.now()
  const isReplaced = process.stderr.isTTY && !isVerbose
  const show = () => {
    const ms = Date.now() - startedAt
    const text = `${title}…${ms < 1_000 ? '' : ` ${seconds(ms)}`}`
    process.stderr.write(`\r\u001b[K${text.slice(0, Math.max(0, (process.stderr.columns || 80) - 1))}`)
  }
  if (isReplaced) show()
  else print(`${title}…`)
  const timer = isReplaced ? setInterval(show, 1_000) : undefined
  let output = ''
  const child = spawn(command, args, {
    cwd: root,
    stdio: isVerbose ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-storedCharacters)
    })
  }
  /** @type {boolean} */
  const succeeded = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  })
  clearInterval(timer)
  const ms = Date.now() - startedAt
  const result = `${title}… ${succeeded ? 'done' : 'failed'}${ms < 1_000 ? '' : ` (${seconds(ms)})`}`
  if (isReplaced) process.stderr.write(`\r\u001b[K${result}\n`)
  else if (!succeeded) print(result)
  if (!succeeded && output.trim() !== '')
    print(`\n${output.trimEnd().split('\n').slice(-printedLines).join('\n')}\n`)
  return succeeded
}
