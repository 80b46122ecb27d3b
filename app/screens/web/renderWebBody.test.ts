// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { ANN, cases, NIGHT, ROTA } from '../../../wire/body/cases.ts'
import { element, escapeText } from '../../../wire/body/testing/describeBlocks.ts'
import { renderWebBody } from './renderWebBody.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))

/** The elements of a page in the notation of the cases. Mentions are names, since the page has no ids. */
function describeNodes(parent: Node): string {
  return [...parent.childNodes].map(describeNode).join('')
}

function describeNode(node: Node): string {
  if (!(node instanceof Element)) return escapeText(node.textContent ?? '')
  const tag = node.localName
  const content = describeNodes(node)
  switch (tag) {
    case 'blockquote':
      return element('quote', content)
    case 'pre':
      return element('pre', describeNodes(node.firstElementChild!))
    case 'a':
      return element('a', content, node.getAttribute('href') ?? '')
    case 'details':
      return element('spoiler', content)
    case 'summary':
      return ''
    case 'li':
      return element('li', content, node.getAttribute('value') ?? '')
    case 'th':
    case 'td':
      return element(tag, content, node.getAttribute('class') ?? '')
    case 'code':
      // Formulas are shown with their signs.
      return element('code', content.replaceAll(/^\$+|\$+$/g, ''))
    case 'br':
    case 'hr':
      return `<${tag}>`
    case 'div':
    case 'span':
    case 'thead':
    case 'tbody':
    case 'bdi':
      return content
    default:
      return element(tag, content)
  }
}

const shownAs = (shown: string): string =>
  shown
    // The page renders no formulas and highlights no code.
    .replaceAll(/<(\/?)math>/g, '<$1code>')
    .replaceAll(/<pre=\w+>/g, '<pre>')
    .replaceAll('<task=x>', '<li>☑ ')
    .replaceAll('<task>', '<li>☐ ')
    .replaceAll('</task>', '</li>')
    .replaceAll(/<:([^:]*):>/g, ':$1:')
    .replaceAll('<@me>', '<strong>Bea</strong>')
    .replaceAll(/<@([^>]*)>/g, (_found, who: string) => element('strong', NAMES[who]!))

const NAMES: Record<string, string> = {
  channel: '@channel',
  here: '@here',
  [ANN]: '@someone',
  [`#${ROTA}`]: '#another-channel',
  [`&${NIGHT}`]: '@someone',
}

describe.each(cases)('the public page of $subject: $text', ({ text, shown }) => {
  test('has what the case describes', () => {
    const body = renderWebBody(text, 'Bea', { people: [], channels: [] })
    expect(describeNodes(body)).toBe(shownAs(shown))
  })
})
