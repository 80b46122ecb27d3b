import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isAlive } from './isAlive.mjs'

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends the program of a step and the processes that it has started',
  async (signal) => {
    const dir = mkdtempSync(join(tmpdir(), 'linnet-step-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const file = join(dir, 'pid')
    const program = `import { runStep } from '${import.meta.dirname}/runStep.mjs'
await runStep('Working', 'sh', ['-c', 'sleep 600 & echo $! > ${file}.new; mv ${file}.new ${file}; wait'])
setInterval(() => {}, 1000)`
    const step = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
    onTestFinished(() => void step.kill('SIGKILL'))
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000 })
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    step.kill(signal)
    expect(await once(step, 'exit')).toEqual([null, signal])
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 })
  },
)
