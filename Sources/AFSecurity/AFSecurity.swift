import AFSupport
