import { assert, constantFrom, jsonValue, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { payloadText } from './payloadText.ts'

const frames = [
  ['1.0.0', (payload: string) => `{"topic":"t","payload":0,"event":"e","payload" : ${payload},"ref":null}`],
  [
    '1.0.0',
    (payload: string) => `{"pay\\u006coad":${payload},"x":{"payload":1},"topic":"t","event":"payload"}`,
  ],
  ['2.0.0', (payload: string) => `[null,"1","t]",{"a":[1,2]},${payload}]`],
  ['2.0.0', (payload: string) => ` [ null , "\\\\\\"," , "t" , "e" , ${payload} , 7, [1] ] `],
] as const

it.each(frames)('%s: finds the payload, whatever it contains (%#)', (version, frame) => {
  assert(
    property(jsonValue(), string(), constantFrom(undefined, 2), (value, text, space) => {
      const payload = JSON.stringify({ value, [text]: text }, null, space)
      expect(payloadText(version, frame(payload)).trim()).toBe(payload)
    }),
  )
})

it('leaves numbers as they are', () => {
  const payload = '{"id":9007199254740993,"x":1.0,"y":1e400,"z":-0}'
  for (const [version, frame] of frames) expect(payloadText(version, frame(payload)).trim()).toBe(payload)
})

it('treats a missing payload as none', () => {
  expect(payloadText('1.0.0', '{"topic":"t"}')).toBe('null')
  expect(payloadText('2.0.0', '[1,2,3,4]')).toBe('null')
})
