import { expect, it } from 'vitest'
import { parseAddresses } from './parseAddresses.ts'

it('finds each address once, however a list separates and decorates them', () => {
  expect(
    parseAddresses(
      'una@a.example, Bea Lindqvist <bea@a.example>;cem@a.example\n\nUNA@a.example  eli@a.example',
    ),
  ).toEqual({
    addresses: ['una@a.example', 'bea@a.example', 'cem@a.example', 'eli@a.example'],
    invalid: [],
  })
})

it('returns what is no address', () => {
  expect(parseAddresses('una@a.example una bea@ otto@coop jörg@a.example')).toEqual({
    addresses: ['una@a.example'],
    invalid: ['una', 'bea@', 'otto@coop', 'jörg@a.example'],
  })
})

it('returns an address once whose domain is written in two ways', () => {
  expect(parseAddresses('jo@müller.example, Jo@xn--mller-kva.example')).toEqual({
    addresses: ['jo@xn--mller-kva.example'],
    invalid: [],
  })
})
