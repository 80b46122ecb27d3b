import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The exit code and output of a command. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `linnet …` to its end, in `cwd` (by default the checkout), with `input` piped in and `env` added to the environment. */
export function runCommandLine(
  args: string[],
  { cwd = root, input, env = {} }: { cwd?: string; input?: string; env?: Record<string, string> } = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'bin/linnet'), ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin?.end(input)
  })
}
