import { expect, it } from 'vitest'
import { webPageQuery } from './fetchWebPage.ts'

const ID = '0f0e8a52-9d1c-4c1e-8a51-111111111111'
const queryOf = (pathname: string, search = '') => webPageQuery({ pathname, search })?.toString() ?? null

it('requests the channel and the cursors of the address, and nothing else', () => {
  expect(queryOf(`/w/${ID}`)).toBe(`channel=${ID}`)
  expect(queryOf(`/w/${ID}/`, '?before=31')).toBe(`channel=${ID}&before=31`)
  expect(queryOf(`/w/${ID}`, '?thread=2&after=30&select=id&workspace=1')).toBe(
    `channel=${ID}&thread=2&after=30`,
  )
  expect(queryOf(`/w/${ID}`, '?before=-1&after=1e9&thread=1.5')).toBe(`channel=${ID}`)
})

it('requests nothing where no channel can be', () => {
  for (const path of ['/w/', '/w/lobby', `/w/${ID}x`, `/w/${ID}/more`]) expect(queryOf(path)).toBeNull()
})
