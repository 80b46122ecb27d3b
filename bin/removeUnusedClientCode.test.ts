import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { expect, test } from 'vitest'
import { removeUnusedClientCode } from './removeUnusedClientCode.ts'

const library = join(import.meta.dirname, '../node_modules/@supabase')
const authClient = join(library, 'auth-js/dist/module/GoTrueClient.js')

function reduce(path: string, code = readFileSync(path, 'utf8')): string {
  const { transform } = removeUnusedClientCode() as unknown as {
    transform: { handler(this: object, code: string, id: string): { code: string } }
  }
  const parse = (source: string) => parseSync('library.js', source, { sourceType: 'module' }).program
  const { code: reduced } = transform.handler.call({ parse }, code, path)
  expect(parseSync('library.js', reduced, { sourceType: 'module' }).errors).toEqual([])
  return reduced
}

test('methods that nothing calls are removed, and values are written where they are read', () => {
  const code = readFileSync(authClient, 'utf8')
  expect(code).toContain('async signInWithPassword(')
  const reduced = reduce(authClient)
  expect(reduced).not.toContain('async signInWithPassword(')
  expect(reduced).toContain('async _callRefreshToken(refreshToken) {')
  expect(reduced).toContain('this.lock = null;')
  expect(reduced).toContain('if (null != null) {')
})

test('a new access token is sent to the channels that are joined', () => {
  expect(reduce(join(library, 'realtime-js/dist/module/RealtimeClient.js'))).toContain(
    'channel.channelAdapter.push(CHANNEL_EVENTS.access_token',
  )
  expect(reduce(join(library, 'realtime-js/dist/module/phoenix/channelAdapter.js'))).toContain(
    'push = this.channel.push(',
  )
})

test('a version without one of the listed expressions fails the build', () => {
  const code = readFileSync(authClient, 'utf8').replaceAll(
    'settings.skipAutoInitialize',
    'settings.isPassive',
  )
  expect(() => reduce(authClient, code)).toThrow('settings.skipAutoInitialize')
})
