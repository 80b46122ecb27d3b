// The entry of the page `/w/<channel>`, which shows a public channel on the web. It uses no session and no code of
// the messenger's pages.
import '../../ui/tokens.css'
import './web.css'
import { i18n } from '@lingui/core'
import { activateLanguage, readLanguage } from '../../ui/language.ts'
import { readPreference } from '../../devicePreferences.ts'
import { applyAppearance } from '../../ui/theme.ts'
import { createNode, type Content } from './createNode.ts'
import { fetchWebPage, webPageQuery } from './fetchWebPage.ts'
import { renderWebPage } from './renderWebPage.ts'

applyAppearance(readPreference('appearance'))

async function renderCurrentPage(): Promise<Content> {
  const query = webPageQuery(location)
  const fetched = query ? fetchWebPage(query).then((page) => ({ page })) : null
  // Rejections are handled below, once the sentences are loaded.
  fetched?.catch(() => {})
  await activateLanguage(readLanguage())
  try {
    const page = (await fetched)?.page
    if (!page)
      return createNode(
        'main',
        {},
        createNode('h1', {}, i18n._('Not found')),
        createNode('p', {}, i18n._('There is no channel to read at this address.')),
      )
    document.title = `#${page.name} · ${page.workspace}`
    return renderWebPage(page, query!.get('channel')!)
  } catch {
    return createNode(
      'main',
      {},
      createNode(
        'p',
        { role: 'alert' },
        i18n._('The page couldn’t be loaded. Check your connection, then reload it.'),
      ),
    )
  }
}

const root = document.getElementById('web')
if (root) {
  const content = await renderCurrentPage()
  root.replaceChildren(createNode('div', { class: 'page' }, content))
  // The messages of an address with a fragment arrive after the browser has searched for it.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
}
