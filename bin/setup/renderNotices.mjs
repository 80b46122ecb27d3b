import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readIfExists, root } from './checkout.mjs'
import { listProductionPackages } from './listProductionPackages.mjs'

const legalFile = /^(?:licen[sc]e|copying|copyright|notice)/i

/** The licence section of a package's README, for packages without a file of their own. */
function readmeSection(/** @type {string} */ directory) {
  const readme = readdirSync(directory).find((name) => /^readme\.md$/i.test(name)) ?? ''
  return /^#+ *Licen[sc].*\n((?:(?!#+ ).*\n?)*)/im.exec(readIfExists(join(directory, readme)))?.[1] ?? ''
}

/** Name, version, licence, copyright and texts of one package. */
function renderPackage(/** @type {string} */ path) {
  const directory = join(root, path)
  const { name, version, license, author, homepage } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  )
  const texts = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && legalFile.test(entry.name))
    .map((entry) => readFileSync(join(directory, entry.name), 'utf8').trim())
  if (texts.length === 0) {
    texts.push(`From: ${author?.name ?? author ?? homepage}`, readmeSection(directory).trim())
  }
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n').trim()
}

/**
 * The notices of third parties: all packages that the application and the server contain, fonts included, and the software
 * and data that are no packages (notices.txt).
 */
export function renderNotices() {
  const sections = [
    'Linnet contains software and data of others, under the licenses below. Linnet itself: see LICENSE and NOTICE.',
    readFileSync(join(root, 'bin/setup/notices.txt'), 'utf8').trim(),
    ...new Set(listProductionPackages().map(renderPackage)),
  ]
  return `${sections.join(`\n\n${'='.repeat(80)}\n\n`)}\n`
}
