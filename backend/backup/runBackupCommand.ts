import { spawn } from 'node:child_process'

/** The last characters of the command's output, which explain its failure. */
const maxOutput = 2_000
const defaultTimeoutMs = 6 * 60 * 60 * 1000

/**
 * Runs `[backup] command` in a shell after a successful backup, for example to copy the repository to another machine.
 * It ends the command after a timeout.
 * @param variables are added to the environment of this process
 * @returns why it failed; null where it succeeded
 */
export async function runBackupCommand(
  command: string,
  variables: Record<string, string>,
  timeoutMs = defaultTimeoutMs,
): Promise<string | null> {
  // In a process group of its own, so that the timeout ends all processes of the command.
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-maxOutput)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    process.kill(-child.pid!, 'SIGKILL')
  }, timeoutMs)
  const code = await new Promise<number | string | null>((resolve) => {
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal))
    child.once('error', (error) => resolve(error.message))
  })
  clearTimeout(timer)
  if (code === 0) return null
  const how = isLate
    ? `it did not end within ${Math.round(timeoutMs / 60_000)} minutes`
    : `it ended with ${code}`
  const lines = output.trim()
  return `The command of backup.command failed: ${how}.${lines === '' ? '' : ` Its last output: ${lines}`}`
}
