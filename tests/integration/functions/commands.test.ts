import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject } from '../../support/createProject.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { temporaryData } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')
const data = temporaryData()
const project = createProject({ 'config.toml': 'project_id = "made"\n' })
const folder = dirname(project.dir)
const linnet = (...args: string[]): Promise<CommandResult> =>
  runCommandLine([...args, '--data', data.dir], { cwd: folder })

/** A command that keeps running, and its output lines. */
function follow(...args: string[]): {
  child: ChildProcess
  lines: readonly string[]
  line(wanted: RegExp): Promise<string>
} {
  const child = spawn(process.execPath, [join(root, 'bin/linnet'), ...args, '--data', data.dir], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line)
    for (const check of waiting) check()
  })
  const line = (wanted: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const found = lines.find((one) => wanted.test(one))
        if (found === undefined) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      child.once('exit', () => reject(new Error(`It ended without a line like ${wanted}.`)))
      check()
    })
  return { child, lines, line }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })

let server: ReturnType<typeof follow>
let url: string

beforeAll(async () => {
  writeFileSync(join(folder, 'own.env'), 'GREETING=Ahoy\n')
  expect((await linnet('functions', 'new', 'greet')).code).toBe(0)
  server = follow('functions', 'serve', '--port', '0', '--no-verify-jwt', '--env-file', 'own.env')
  url = /http\S+/.exec(await server.line(/^Linnet is ready at /))![0]
})
afterAll(async () => {
  await ended(server.child)
  project.remove()
  data.remove()
})

test('a port that the system has chosen on request is printed without a reason', async () => {
  await server.line(/^Press Ctrl-C to stop/)
  expect(server.lines.filter((line) => line.startsWith('Another program'))).toEqual([])
})

test('a new function is served at once, without a token if so configured', async () => {
  const response = await fetch(`${url}/functions/v1/greet`, { method: 'POST', body: '{"name":"Ann"}' })
  expect(await response.json()).toEqual({ message: 'Hello Ann!' })
  const config = readFileSync(join(project.dir, 'config.toml'), 'utf8')
  expect(config).toMatch(/^project_id = "made"\n\n\[functions\.greet\]\nenabled = true\nverify_jwt = true\n/)
})

test('an existing or invalid name changes nothing', async () => {
  const before = readFileSync(join(project.dir, 'config.toml'), 'utf8')
  const taken = await linnet('functions', 'new', 'greet')
  expect([taken.code, taken.stderr]).toEqual([
    1,
    expect.stringContaining('The function greet already exists'),
  ])
  const wrong = await linnet('functions', 'new', '../greet')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('starts with a letter')])
  expect(readFileSync(join(project.dir, 'config.toml'), 'utf8')).toBe(before)
})

test('the list contains the authorization and URL of each function', async () => {
  expect((await linnet('functions', 'list')).stdout).toBe(
    `greet  requires a token  ${url}/functions/v1/greet\n`,
  )
})

test('serve with a running server prints the output of its functions', async () => {
  project.write({
    'functions/talk/index.ts':
      'Deno.serve(() => { console.log("greeting: " + Deno.env.get("GREETING")); return new Response() })',
  })
  const beside = follow('functions', 'serve', 'talk')
  expect(await beside.line(/talk/)).toBe(`${url}/functions/v1/talk`)
  expect((await fetch(`${url}/functions/v1/talk`)).status).toBe(200)
  expect(await beside.line(/greeting/)).toContain('greeting: Ahoy')
  await ended(beside.child)
  const refused = await linnet('functions', 'serve', '--no-verify-jwt')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('the server that is running at'),
  ])
})
