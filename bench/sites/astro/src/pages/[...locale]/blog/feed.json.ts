// feed.json of each language.
export { json as GET, ofBlogs as getStaticPaths } from "../../../lib/feeds";
