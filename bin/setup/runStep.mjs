import { spawn } from 'node:child_process'
import { print, root } from './checkout.mjs'

/** Lines of a failed program's output that are printed. */
const printedLines = 40
/** Characters of output that are stored meanwhile. */
const storedCharacters = 64 * 1024

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** With --verbose the output of the program is printed as it is written. */
const isVerbose = process.argv.includes('--verbose')

const seconds = (/** @type {number} */ ms) =>
  ms < 60_000
    ? `${Math.round(ms / 1_000)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`

/**
 * Sends a signal to a program and to the processes that it has started.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function endGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch {
    // The program has ended.
  }
}

/**
 * Runs a program and displays it as one step: on a terminal one line, which is replaced while the program runs, elsewhere a
 * line at its start. If the program fails, prints the end of its output. `backend/cli/progress.ts` displays the steps of a
 * built server in the same form. A signal that ends this process also ends the program and the processes that it has started:
 * a program that continued would change files that the next start uses.
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
  /** @type {NodeJS.Signals | null} */
  let received = null
  const onSignal = (/** @type {NodeJS.Signals} */ signal) => {
    // A second signal ends a program that does not end by itself.
    if (child.pid !== undefined) endGroup(child.pid, received === null ? 'SIGTERM' : 'SIGKILL')
    received = signal
  }
  // Before the program starts, which would outlive a signal that arrives in between.
  for (const signal of signals) process.on(signal, onSignal)
  const child = spawn(command, args, {
    cwd: root,
    stdio: isVerbose ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'],
    // In a process group of its own, which a signal reaches as a whole.
    detached: true,
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
  for (const signal of signals) process.off(signal, onSignal)
  if (received !== null) {
    if (isReplaced) process.stderr.write('\n')
    // The signal ends this process, which has no handler any more.
    process.kill(process.pid, received)
  }
  const ms = Date.now() - startedAt
  const result = `${title}… ${succeeded ? 'done' : 'failed'}${ms < 1_000 ? '' : ` (${seconds(ms)})`}`
  if (isReplaced) process.stderr.write(`\r\u001b[K${result}\n`)
  else if (!succeeded) print(result)
  if (!succeeded && output.trim() !== '')
    print(`\n${output.trimEnd().split('\n').slice(-printedLines).join('\n')}\n`)
  return succeeded
}
