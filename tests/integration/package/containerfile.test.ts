import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Instruction {
  name: string
  value: string
}

/** The instructions of each stage. */
const stages: Instruction[][] = []
const text = readFileSync(join(import.meta.dirname, '../../../Containerfile'), 'utf8')
for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
  const [, name, value] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) continue
  if (name === 'FROM') stages.push([])
  stages.at(-1)!.push({ name, value })
}
const image = stages.at(-1)!
const valuesOf = (name: string): string[] =>
  image.filter((one) => one.name === name).map(({ value }) => value)

it('the image contains the installed package and no sources, and an ordinary user runs it on one volume', () => {
  expect(valuesOf('COPY')).toEqual(['--from=install /opt/linnet /opt/linnet'])
  expect(valuesOf('USER')).toEqual(['node'])
  expect(valuesOf('VOLUME')).toEqual(['/data'])
  expect(JSON.parse(valuesOf('ENTRYPOINT')[0]!)).toEqual(
    expect.arrayContaining(['linnet', 'start', '--data', '/data']),
  )
})

it('the health check succeeds for a healthy server only', async () => {
  const [, program, ...args] = JSON.parse(
    valuesOf('HEALTHCHECK')[0]!.replace(/^.*?CMD \[/, '["CMD",'),
  ) as string[]
  expect(program).toBe('node')
  const paths: (string | undefined)[] = []
  let status = 200
  const server = createServer(({ url }, response) => {
    paths.push(url)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const check = async (): Promise<unknown> => {
    const child = spawn(
      process.execPath,
      args.map((one) => one.replace(':4280/', `:${port}/`)),
      { stdio: 'ignore' },
    )
    return (await once(child, 'exit'))[0]
  }
  expect(await check()).toBe(0)
  status = 503
  expect(await check()).toBe(1)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  expect(await check()).toBe(1)
  expect(paths).toEqual(['/health', '/health'])
})
