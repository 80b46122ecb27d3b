import { describeCheck } from '../../wire/describeCheck.ts'
import { repairable, sortFindings, type CheckState } from '../../wire/serverChecks.ts'
import type { Place } from '../runtime/commandName.ts'
import { englishLanguage } from './englishLanguage.ts'
import type { LocalFinding } from './LocalFinding.ts'

/** A finding in words, for commands and for JSON. */
export interface DescribedFinding {
  code: string
  state: CheckState
  values: object
  title: string
  text: string
  advice: string
  details: string[]
  commands: string[]
  /** Whether `linnet doctor --repair` repairs it. */
  repairable: boolean
}

/** Describes findings of an installation in English, problems first. */
export function describeFindings(findings: readonly LocalFinding[], place: Place): DescribedFinding[] {
  return sortFindings(findings).map((finding) => describeFinding(finding, place))
}

function describeFinding(finding: LocalFinding, place: Place): DescribedFinding {
  const { code, state, values, details = [], commands = [] } = finding
  const { title, text, advice } = describeCheck(finding, englishLanguage(place))
  const isRepairable = repairable.includes(code)
  return { code, state, values, title, text, advice, details, commands, repairable: isRepairable }
}

const headings: Record<CheckState, string> = {
  problem: 'Problems',
  notice: 'Recommended',
  unknown: 'Unknown',
  ok: 'OK',
}

const titleWidth = 24

/** Renders findings as text: a paragraph for each one that needs attention, a line for each other. */
export function renderFindings(findings: readonly LocalFinding[], place: Place): string {
  const described = describeFindings(findings, place)
  const blocks = (['problem', 'notice', 'unknown', 'ok'] as const).flatMap((state) => {
    const ofState = described.filter((finding) => finding.state === state)
    return ofState.length === 0 ? [] : [[headings[state], ...ofState.flatMap(renderFinding)].join('\n')]
  })
  return blocks.join('\n\n')
}

/** The lines of a text, at most as wide as a page of 100 columns. */
function wrap(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > 98 - titleWidth) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

function renderFinding({ title, text, advice, details, commands }: DescribedFinding): string[] {
  const indent = ' '.repeat(2 + titleWidth)
  const [first = '', ...rest] = wrap(text)
  return [
    `  ${title.padEnd(titleWidth - 1)} ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(advice === '' ? [] : wrap(`What to do: ${advice}`).map((line) => `${indent}${line}`)),
    ...details.map((line) => `${indent}${line}`),
    ...commands.map((line) => `${indent}$ ${line}`),
  ]
}
