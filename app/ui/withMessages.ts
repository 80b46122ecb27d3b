import { i18n, type Messages } from '@lingui/core'

type LoadMessages = () => Promise<{ messages: Messages }>

/** Sets the function that loads the messages that the catalog of the first screens lacks. Called once, with the language. */
export let setRestLoader: (load: LoadMessages) => void
const restLoader = new Promise<LoadMessages>((resolve) => {
  setRestLoader = resolve
})

/**
 * The module of a dynamic import, once all messages are loaded. The build adds this call to each import of a module that
 * shows a message which the catalog of the first screens lacks. Rejects if the messages can't be loaded, as an import does.
 */
export async function withMessages<M>(module: Promise<M>): Promise<M> {
  const load = restLoader.then((loadRest) => loadRest())
  const [loaded, rest] = await Promise.all([module, load])
  i18n.load(i18n.locale, rest.messages)
  return loaded
}
