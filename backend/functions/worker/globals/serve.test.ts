import { expect, test, vi } from 'vitest'
import type { Handler, HandlerInfo } from '../../functionTypes.ts'
import { createServe } from './serve.ts'

const info: HandlerInfo = { remoteAddr: { transport: 'tcp', hostname: '203.0.113.5', port: 1 } }

function serving() {
  const given: Handler[] = []
  const onRequest = vi.fn<() => void>()
  const host = {
    name: 'hello',
    env: {},
    folder: '/',
    staticFiles: [],
    waitUntil: () => {},
    serve: (one: Handler) => void given.push(one),
  }
  const serve = createServe(host, onRequest)
  const sendRequest = async (): Promise<[number, string]> => {
    const answer = await given.at(-1)!(new Request('http://localhost/'), info)
    return [answer.status, await answer.text()]
  }
  return { serve, sendRequest, onRequest }
}

const hello = (): Response => new Response('hello')

test.each([
  ['handler', [hello]],
  ['options, handler', [{ port: 8000 }, hello]],
  ['handler, options', [hello, { port: 8000 }]],
  ['options that hold it', [{ port: 8000, handler: hello }]],
])('%s', async (_, args) => {
  const { serve, sendRequest, onRequest } = serving()
  serve(args[0], args[1])
  expect(onRequest).not.toHaveBeenCalled()
  expect(await sendRequest()).toEqual([200, 'hello'])
  expect(onRequest).toHaveBeenCalledOnce()
})

test.each([[[]], [[{}]], [[null]], [[{ port: 1 }, 'x']]])(
  '%j is refused without a handler',
  (args: unknown[]) => {
    expect(() => serving().serve(args[0], args[1])).toThrow(TypeError)
  },
)

test('the handler gets the address of the client', async () => {
  const { serve, sendRequest } = serving()
  serve((_request: Request, info: HandlerInfo) => new Response(info.remoteAddr.hostname))
  expect(await sendRequest()).toEqual([200, '203.0.113.5'])
})

test('the last handler is used', async () => {
  const { serve, sendRequest } = serving()
  serve(hello)
  serve(() => new Response('second'))
  expect(await sendRequest()).toEqual([200, 'second'])
})

test('an exception or an invalid response is logged and does not end the worker', async () => {
  const stderrWrite = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const { serve, sendRequest } = serving()
    serve(async () => {
      throw new Error('on purpose')
    })
    expect(await sendRequest()).toEqual([500, 'Internal Server Error'])
    expect(String(stderrWrite.mock.calls.at(-1)?.[0])).toContain('on purpose')
    serve(() => ({ status: 200 }))
    expect(await sendRequest()).toEqual([502, 'Bad Gateway'])
    serve({
      handler: () => Promise.reject(new Error('x')),
      onError: () => new Response('recovered', { status: 418 }),
    })
    expect(await sendRequest()).toEqual([418, 'recovered'])
  } finally {
    stderrWrite.mockRestore()
  }
})

test('onListen is called at once; finished waits for shutdown or the signal', async () => {
  const { serve } = serving()
  const onListen = vi.fn<(at: unknown) => void>()
  const server = serve({ onListen, handler: hello })
  expect(onListen).toHaveBeenCalledWith({ transport: 'tcp', hostname: '0.0.0.0', port: 9999 })
  await server.shutdown()
  await expect(server.finished).resolves.toBeUndefined()
  const ending = new AbortController()
  const other = serve({ signal: ending.signal }, hello)
  ending.abort()
  await expect(other.finished).resolves.toBeUndefined()
})
