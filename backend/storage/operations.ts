/** The names that `storage.operation()` shows to policies; the two without prefix are so upstream. */
export const operations = {
  createBucket: 'storage.bucket.create',
  deleteBucket: 'storage.bucket.delete',
  emptyBucket: 'storage.bucket.empty',
  listBuckets: 'storage.bucket.list',
  getBucket: 'storage.bucket.get',
  updateBucket: 'storage.bucket.update',
  copyObject: 'storage.object.copy',
  createObject: 'storage.object.upload',
  updateObject: 'storage.object.upload_update',
  deleteObject: 'storage.object.delete',
  deleteObjects: 'storage.object.delete_many',
  getPublicObject: 'storage.object.get_public',
  getObject: 'storage.object.get_authenticated',
  getObjectInfo: 'object.get_authenticated_info',
  headObject: 'object.head_authenticated_info',
  getPublicInfo: 'storage.object.info_public',
  getSignedObject: 'storage.object.get_signed',
  signObject: 'storage.object.sign',
  signObjects: 'storage.object.sign_many',
  signUpload: 'storage.object.sign_upload_url',
  uploadSigned: 'storage.object.upload_signed',
  listObjects: 'storage.object.list',
  moveObject: 'storage.object.move',
} as const

export type Operation = (typeof operations)[keyof typeof operations]
