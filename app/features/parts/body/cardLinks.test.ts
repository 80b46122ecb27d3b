// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import { cardLinksOf, leaveOutCardLinks } from './cardLinks.ts'

const channelId = '00000000-0000-4000-8000-00000000000c'
const ids = [1, 2, 3, 4].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
const messagePath = (n: number) => `/c/${channelId}/m/${ids[n]}`
const address = (path: string) => location.origin + path
const pathsOf = (body: string) => cardLinksOf(body).map(({ path }) => path)
const textOf = (body: string) =>
  leaveOutCardLinks(parseBody(body), body).map(({ start, end }) => body.slice(start, end))

it('addresses of messages, threads and files have cards, with their query', () => {
  const thread = `/c/${channelId}/t/${ids[1]}?at=3`
  const file = `${messagePath(2)}/f/${ids[3]}`
  expect(cardLinksOf(`${address(messagePath(0))} <${address(thread)}> and ${address(file)}.`)).toEqual([
    {
      path: messagePath(0),
      isInText: true,
      page: { name: 'message', params: { channelId, messageId: ids[0] } },
    },
    { path: thread, isInText: true, page: { name: 'thread', params: { channelId, rootId: ids[1] } } },
    {
      path: file,
      isInText: true,
      page: { name: 'file', params: { channelId, messageId: ids[2], fileId: ids[3] } },
    },
  ])
})

it('a card of an address alone in its paragraph is not named by the text', () => {
  const body = `${address(messagePath(0))}\n\nsee ${address(messagePath(1))}`
  expect(cardLinksOf(body).map(({ isInText }) => isInText)).toEqual([false, true])
})

it.each([
  ['a link with a text', `[here](${address(messagePath(0))})`],
  ['code', `\`${address(messagePath(0))}\``],
  ['a spoiler', `||${address(messagePath(0))}||`],
  ['another origin', `https://chat.example${messagePath(0)}`],
  ['another port', address(messagePath(0)).replace(/:\/\/[^/]*/, '://localhost:1')],
  ['an origin that only begins alike', `${location.origin}.example${messagePath(0)}`],
  ['another origin that names this one', `https://chat.example/?next=${location.host}/${messagePath(0)}`],
  ['an id that is none', address(`/c/${channelId}/m/x`)],
  ['another page', address(`/c/${channelId}`)],
])('%s has no card', (_, body) => {
  expect(pathsOf(body)).toEqual([])
})

it('each message has one card, and a body at most three', () => {
  const all = [0, 0, 1, 2, 3].map((n) => address(messagePath(n)))
  expect(pathsOf(all.join('\n'))).toEqual([0, 1, 2].map(messagePath))
})

it('only paragraphs that are nothing but addresses with cards are left out', () => {
  const [one, two] = [address(messagePath(0)), address(messagePath(1))]
  expect(textOf(`${one} \n${two}`)).toEqual([])
  expect(textOf(`See ${one}`)).toEqual([`See ${one}`])
  expect(textOf(`Look:\n\n${one}`)).toEqual(['Look:'])
  expect(textOf(address(`/c/${channelId}`))).toEqual([address(`/c/${channelId}`)])
  const four = [0, 1, 2, 3].map((n) => address(messagePath(n))).join(' ')
  expect(textOf(four)).toEqual([four])
})
