import { randomUUID } from 'node:crypto'
import type { CommandName, Commands } from '../../wire/commands.ts'
import type { Bootstrap } from '../../wire/sync.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { createSignInToken, emailOf, type Demo } from './support.ts'

/** An API client signed in as a person of the demo: prepares data for a journey. */
export interface DemoClient {
  /** The response of `bootstrap`. */
  bootstrap: Bootstrap
  call: <Name extends CommandName>(
    name: Name,
    args: Commands[Name]['args'],
  ) => Promise<Commands[Name]['response']>
  /** Sends a message with a file. Returns the URL at which the app's service worker serves it. */
  attach: (o: { channel: Uuid; name: string; type: string; bytes: Buffer }) => Promise<string>
}

export async function signInDemoClient(demo: Demo, nick: string): Promise<DemoClient> {
  const { server } = demo
  const sendRequest = async <Answer>(
    path: string,
    key: string,
    bearer: string,
    body: unknown,
  ): Promise<Answer> => {
    const isForm = body instanceof FormData
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: {
        apikey: key,
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }
  const key = server.publishableKey
  const { access_token: token } = await sendRequest<{ access_token: string }>('/auth/v1/verify', key, '', {
    type: 'email',
    token_hash: await createSignInToken(server, emailOf(demo, nick)),
  })
  const call: DemoClient['call'] = (name, args) => sendRequest(`/rest/v1/rpc/${name}`, key, token, args)
  return {
    bootstrap: await call('bootstrap', {}),
    call,
    async attach({ channel, name, type, bytes }) {
      const id = randomUUID()
      const form = new FormData()
      form.append('', new Blob([new Uint8Array(bytes)], { type }))
      await sendRequest(`/storage/v1/object/files/${channel}/${id}/file`, key, token, form)
      await call('send_message', {
        id: randomUUID(),
        channel,
        body: name,
        attachments: [{ id, name, width: null, height: null, thumb: false }],
      })
      return `/attached/${channel}/${id}/file`
    },
  }
}
