import type { Hono } from 'hono'
import type { Storage, StorageEnv } from '../Storage.ts'
import { renderAuthenticatedImage, renderPublicImage, renderSignedImage } from './renderImages.ts'

/** Routes of image transformations. Where these are disabled, the response is 404 as upstream. */
export function addRenderRoutes(app: Hono<StorageEnv>, storage: Storage): void {
  const object = '/:bucket/:name{[\\s\\S]+}'
  app.get(`/render/image/authenticated${object}`, renderAuthenticatedImage(storage))
  app.get(`/render/image/public${object}`, renderPublicImage(storage))
  app.get(`/render/image/sign${object}`, renderSignedImage(storage))
}
